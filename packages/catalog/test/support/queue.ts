import { openQueue, type Queue } from '@headrace/queue'
import { onTestFinished } from 'vitest'
import { createFolder } from './folder.ts'

/** An embedded queue of its own, for the time of one test. */
export async function createQueue(): Promise<Queue> {
  const queue = await openQueue(`embedded:${await createFolder({})}`)
  onTestFinished(() => queue.close())
  return queue
}

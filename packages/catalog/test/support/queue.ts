import { openQueue, type Queue } from '@headrace/queue'
import { onTestFinished } from 'vitest'
import { createFolder } from './folder.ts'

/** Opens a new embedded queue. It is closed after the test. */
export async function createQueue(): Promise<Queue> {
  const queue = await openQueue(`embedded:${await createFolder({})}`)
  onTestFinished(() => queue.close())
  return queue
}

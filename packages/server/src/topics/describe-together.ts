import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queue, TopicDescription } from '@headrace/queue'

/** Describes one topic; `undefined` where there is none of the name. */
export type DescribeTopic = (name: string) => Promise<TopicDescription | undefined>

/**
 * Asks the queue once for all who want a description in the same turn of the event loop. It is asked after the last of
 * them, so that nobody is told less than what was there when he asked.
 */
export function createDescribeTopic(queue: Queue): DescribeTopic {
  let names = new Set<string>()
  let described: Promise<ReadonlyMap<string, TopicDescription>> | undefined
  return async (name) => {
    names.add(name)
    described ??= describeAll()
    return (await described).get(name)
  }

  async function describeAll(): Promise<ReadonlyMap<string, TopicDescription>> {
    await nextTurn()
    const wanted = [...names]
    names = new Set()
    described = undefined
    return new Map((await queue.describe(wanted)).map((description) => [description.name, description]))
  }
}

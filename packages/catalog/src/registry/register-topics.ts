import type { Queue } from '@headrace/queue'
import { systemTopics } from '../system-topics/system-topics.ts'
import { isOlderLineage } from './check-registrations.ts'
import { readRegistry } from './read-registry.ts'
import { encodeRegistration, type TopicRegistration } from './registration.ts'

/**
 * Writes registrations to the registry, those that changed only. Topics of an older lineage that carried the same
 * message are given the new one as their successor.
 */
export async function registerTopics(queue: Queue, wanted: readonly TopicRegistration[]): Promise<void> {
  const existing = await readRegistry(queue)
  const changed = [...wanted, ...superseded(existing, wanted)].filter((registration) => {
    const before = existing.get(registration.topic)
    return !before || Buffer.compare(encodeRegistration(before), encodeRegistration(registration)) !== 0
  })
  if (changed.length === 0) return
  const time = Date.now()
  await queue.append(
    changed.map((registration) => ({
      topic: systemTopics.registry,
      key: Buffer.from(registration.topic),
      value: encodeRegistration(registration),
      time,
    })),
  )
}

function superseded(
  existing: ReadonlyMap<string, TopicRegistration>,
  wanted: readonly TopicRegistration[],
): TopicRegistration[] {
  return [...existing.values()]
    .filter((other) => other.successor === undefined)
    .flatMap((other) => {
      const heir = wanted.find((one) => one.message === other.message && isOlderLineage(other, one))
      return heir ? [{ ...other, successor: heir.topic }] : []
    })
}

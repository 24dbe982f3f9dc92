import type { Queue } from '@headrace/queue'
import { systemTopics } from '../system-topics/system-topics.ts'
import { isOlderLineage } from './lineage-order.ts'
import { readRegistry } from './read-registry.ts'
import { encodeRegistration, type TopicRegistration } from './registration.ts'

/**
 * Writes registrations to the registry, those that changed only. Topics of an older lineage that carried the same
 * message are given the new one as their successor, and keep it.
 */
export async function registerTopics(queue: Queue, wanted: readonly TopicRegistration[]): Promise<void> {
  const existing = await readRegistry(queue)
  const kept = wanted.map((registration) => keepSuccessor(registration, existing.get(registration.topic)))
  const changed = [...kept, ...superseded(existing, wanted)].filter((registration) => {
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

/** A connector of an older lineage does not know that it was superseded. */
function keepSuccessor(registration: TopicRegistration, before: TopicRegistration | undefined): TopicRegistration {
  const { successor } = before ?? {}
  return successor === undefined ? registration : { ...registration, successor }
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

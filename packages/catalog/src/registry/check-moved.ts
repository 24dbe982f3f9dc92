import { type Queue, UserError } from '@headrace/queue'
import { hasHeldRecords } from './held-records.ts'
import { isSameInstance } from './lineage-order.ts'
import type { TopicRegistration } from './registration.ts'

/**
 * Checks whether a connector instance goes on in the topics that it has begun: other settings in their names would have
 * it go on from the checkpoint of what these settings named before. A topic that never had a record may be left.
 *
 * @throws {UserError} `registration_refused`: a message would go on in another topic.
 */
export async function checkMoved(
  queue: Queue,
  existing: ReadonlyMap<string, TopicRegistration>,
  wanted: readonly TopicRegistration[],
): Promise<void> {
  const moved = wanted
    .filter(({ topic }) => !existing.has(topic))
    .flatMap((to) => [...existing.values()].filter((from) => isSameStream(from, to)).map((from) => ({ from, to })))
  if (moved.length === 0) return
  const descriptions = await queue.describe(moved.map(({ from }) => from.topic))
  for (const { from, to } of moved) {
    const description = descriptions.find(({ name }) => name === from.topic)
    if (description && (await hasHeldRecords(queue, description))) throw otherTopic(from, to)
  }
}

function isSameStream(one: TopicRegistration, other: TopicRegistration): boolean {
  return one.lineage === other.lineage && isSameInstance(one, other) && one.message === other.message
}

function otherTopic(from: TopicRegistration, to: TopicRegistration): UserError {
  return new UserError(
    'registration_refused',
    `The instance "${from.instance}" has published ${from.message} to "${from.topic}", and would go on in "${to.topic}", ` +
      'which would begin in the middle. Give the topic its name back, or the settings that it had. If other settings name ' +
      'another source, start it as another instance.',
    { remedy: { kind: 'set_instance' } },
  )
}

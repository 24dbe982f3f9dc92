import { followTable, type Logger, type Queue, readTable, UnknownTopicError } from '@headrace/queue'
import { systemTopics } from '../system-topics/system-topics.ts'
import { decodeRegistration, type TopicRegistration } from './registration.ts'

/**
 * Empty if there is no registry yet.
 *
 * @throws {UserError} `invalid_registration`
 */
export async function readRegistry(queue: Queue): Promise<Map<string, TopicRegistration>> {
  const registrations = new Map<string, TopicRegistration>()
  try {
    await readRegistrations(queue, (registration) => registrations.set(registration.topic, registration))
  } catch (error) {
    if (!(error instanceof UnknownTopicError)) throw error
  }
  return registrations
}

/** Returns the offset after the end. By default it begins at the earliest one. */
export async function readRegistrations(
  queue: Queue,
  onRegistration: (registration: TopicRegistration) => void,
  from?: bigint,
): Promise<bigint> {
  const place = { topic: systemTopics.registry, partition: 0, offset: from ?? (await earliestOffset(queue)) }
  return readTable(queue, place, ({ value }) => {
    // Topics are never removed from the registry.
    if (value) onRegistration(decodeRegistration(value))
  })
}

async function earliestOffset(queue: Queue): Promise<bigint> {
  const [topic] = await queue.describe([systemTopics.registry])
  if (!topic) throw new UnknownTopicError(systemTopics.registry)
  return topic.partitions[0]!.earliest
}

/**
 * A live map by topic, until the signal is aborted. It has every topic that was registered before the call.
 *
 * @throws {UnknownTopicError} there is no registry yet.
 * @throws {UserError} `invalid_registration`
 */
export function followRegistry(
  queue: Queue,
  options: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<ReadonlyMap<string, TopicRegistration>> {
  return followTable(queue, {
    ...options,
    topic: systemTopics.registry,
    decode: ({ value }) => decodeRegistration(value!),
  })
}

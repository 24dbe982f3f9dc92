import { type Queue, readTable, UnknownTopicError } from '@headrace/queue'
import { systemTopics } from '../system-topics/system-topics.ts'
import { decodeRegistration, type TopicRegistration } from './registration.ts'

/** Called with each registration, in order. A later one of the same topic replaces the earlier. */
export type OnRegistration = (registration: TopicRegistration) => void

export interface ReadRegistrationsOptions {
  /** Offset to begin at. Default: the earliest. */
  readonly from?: bigint
}

/**
 * Reads which topics are registered, by name. Empty where there is no registry yet.
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

/**
 * Reads the registry up to its end and returns the offset after it.
 *
 * @throws {UnknownTopicError} there is no registry yet.
 * @throws {UserError} `invalid_registration`
 */
export async function readRegistrations(
  queue: Queue,
  onRegistration: OnRegistration,
  { from }: ReadRegistrationsOptions = {},
): Promise<bigint> {
  const place = { topic: systemTopics.registry, partition: 0, offset: from ?? (await earliestOffset(queue)) }
  return readTable(queue, place, ({ value }) => {
    // Topics do not leave the registry: a tombstone is nothing.
    if (value) onRegistration(decodeRegistration(value))
  })
}

async function earliestOffset(queue: Queue): Promise<bigint> {
  const [topic] = await queue.describe([systemTopics.registry])
  if (!topic) throw new UnknownTopicError(systemTopics.registry)
  return topic.partitions[0]!.earliest
}

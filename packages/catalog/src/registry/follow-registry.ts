import { followTable, type Logger, type Queue } from '@headrace/queue'
import { systemTopics } from '../system-topics/system-topics.ts'
import { decodeRegistration, type TopicRegistration } from './registration.ts'

/**
 * Follows the registry as a live map, by name of the topic. Resolves when every topic registered before the call is in
 * it, and continues until the signal is aborted.
 *
 * @throws {UnknownTopicError} there is no registry yet: create the system topics first.
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

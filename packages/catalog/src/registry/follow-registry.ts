import type { Queue } from '@headrace/queue'
import { systemTopics } from '../system-topics/system-topics.ts'
import { deliverRegistrations, type OnRegistration, readRegistrations } from './read-registry.ts'

export interface FollowRegistryOptions {
  /** Ends the following. */
  readonly signal: AbortSignal
  /** Called with each registration, in order, at first with all there are. */
  readonly onChange: OnRegistration
  /** Called once when following has failed after the first catch-up. Without it the failure is an unhandled rejection. */
  readonly onError?: (error: unknown) => void
}

/**
 * Follows the registry. Resolves when caught up for the first time and goes on until the signal is aborted.
 *
 * @throws {UnknownTopicError} there is no registry yet: create the system topics first.
 * @throws {UserError} `invalid_registration`
 */
export async function followRegistry(queue: Queue, options: FollowRegistryOptions): Promise<void> {
  const { signal, onChange, onError } = options
  const offset = await readRegistrations(queue, onChange, { signal })
  const following = follow(queue, offset, onChange, signal)
  if (onError) following.catch(onError)
}

async function follow(queue: Queue, offset: bigint, onChange: OnRegistration, signal: AbortSignal): Promise<void> {
  const from = [{ topic: systemTopics.registry, partition: 0, offset }]
  for await (const batch of queue.follow(from, { signal })) deliverRegistrations(batch, onChange)
}

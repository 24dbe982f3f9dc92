import { UserError } from './errors.ts'
import { defaultQueueUrl, parseQueueUrl } from './queue-url.ts'

export interface ResetQueueOptions {
  /** Topics whose records stay. Default: none. */
  readonly keep?: readonly string[]
}

/**
 * Empties an embedded queue that nobody has open. Topics that are created again get new ids: a reader with a position of
 * before is refused.
 *
 * @param url - `embedded:PATH`.
 * @throws {UserError} `invalid_queue_url`: it is a Kafka. `queue_not_found`
 * @throws {QueueUnavailableError} another process has the queue open. Nothing is changed.
 */
export async function resetQueue(url: string = defaultQueueUrl, { keep = [] }: ResetQueueOptions = {}): Promise<void> {
  const address = parseQueueUrl(url)
  if (address.engine !== 'embedded')
    throw new UserError('invalid_queue_url', `${url} cannot be reset: only an embedded queue can, embedded:PATH.`)
  const { resetEmbedded } = await import('./embedded/reset-embedded.ts')
  await resetEmbedded({ directory: address.directory, keep })
}

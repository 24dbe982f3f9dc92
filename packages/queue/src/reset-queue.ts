import { UserError } from './errors.ts'
import { defaultQueueUrl, parseQueueUrl } from './queue-url.ts'

export interface ResetQueueOptions {
  /** The records of these topics are kept. */
  readonly keep?: readonly string[]
}

/**
 * Deletes all topics of an embedded queue that no process has open. Topics that are created again get new ids, so older
 * positions are refused.
 *
 * @param url - `embedded:PATH`.
 * @throws {UserError} `invalid_queue_url`: it is not an embedded queue. `queue_not_found`.
 * @throws {QueueUnavailableError} another process has the queue open. Nothing is changed.
 */
export async function resetQueue(url: string = defaultQueueUrl, { keep = [] }: ResetQueueOptions = {}): Promise<void> {
  const address = parseQueueUrl(url)
  if (address.engine !== 'embedded')
    throw new UserError('invalid_queue_url', `${url} cannot be reset: name an embedded queue, embedded:PATH.`)
  const { resetEmbedded } = await import('./embedded/reset-embedded.ts')
  await resetEmbedded(address.directory, keep)
}

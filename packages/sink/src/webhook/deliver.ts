import { setTimeout as delay } from 'node:timers/promises'
import { type Logger, RetryableError, UserError } from '@headrace/queue'
import type { Message } from './messages.ts'
import { type Answer, post } from './post.ts'
import type { Sign } from './signer.ts'

export interface Receiver {
  readonly url: string
  readonly sign: Sign
  readonly timeoutMs: number
  /** Ms of failures in a row, after which the run reads again from the cursor. */
  readonly budgetMs: number
  readonly log: Logger
}

const longestPauseMs = 30_000
/** The longest `Retry-After` that is observed. */
const longestRetryAfterMs = 300_000
/** The address is not valid any more. */
const final = [301, 308, 410]

/**
 * Sends a message until it is answered with 2xx, as Standard Webhooks recommends.
 *
 * @param signal - Aborts pauses, and lets a request end.
 * @throws {RetryableError} `destination_unavailable`: it failed for `budgetMs`.
 * @throws {UserError} `destination_refused`: the receiver has moved, or is gone.
 */
export async function deliver(message: Message, receiver: Receiver, signal: AbortSignal): Promise<void> {
  const { url, sign, timeoutMs, budgetMs, log } = receiver
  const { id, body } = message
  const started = performance.now()
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const answer = await post({ url, headers: { ...sameHeaders, ...sign(id, body) }, body, timeoutMs })
    const { status, reason, retryAfterMs } = answer
    if (status !== undefined && status >= 200 && status < 300) return
    if (status !== undefined && final.includes(status)) throw refused(message, answer)
    const pauseMs = Math.random() * Math.min(longestPauseMs, 500 * 2 ** attempt)
    const retryInMs = Math.round(Math.max(pauseMs, Math.min(retryAfterMs ?? 0, longestRetryAfterMs)))
    const { topic, partition, seq, offset } = message.records[0]!
    log.warn({ topic, partition, seq, offset, id, attempt, reason, retryInMs }, 'webhook failed')
    const isSpent = performance.now() + retryInMs > started + budgetMs
    if (!isSpent || retryAfterMs !== undefined) await delay(retryInMs, undefined, { signal })
    if (isSpent) throw unavailable(message, answer)
  }
}

const sameHeaders = {
  'content-type': 'application/json',
  'user-agent': 'headrace',
  // An answer is hardly read, so it need not be compressed.
  'accept-encoding': 'identity',
}

function refused(message: Message, { reason }: Answer): UserError {
  return new UserError(
    'destination_refused',
    `The webhook does not accept ${placeOf(message)}: ${reason}. Redirects are not followed. Start the sink again with ` +
      'the address of a receiver; it continues there.',
  )
}

function unavailable(message: Message, { reason }: Answer): RetryableError {
  return new RetryableError(
    'destination_unavailable',
    `The webhook did not accept ${placeOf(message)}: ${reason}. It must answer with a status from 200 to 299. No record ` +
      'is skipped.',
  )
}

function placeOf({ records }: Message): string {
  const { topic, partition, seq, offset } = records[0]!
  const place = seq === null ? `offset ${offset}` : `seq ${seq}`
  const others = records.length === 1 ? '' : ` and the ${records.length - 1} after it`
  return `the record with ${place} in partition ${partition} of "${topic}"${others}`
}

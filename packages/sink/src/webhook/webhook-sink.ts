import { UserError } from '@headrace/queue'
import { type Destination, defineSink, type SinkDefinition } from '../destination/destination.ts'
import type { WebhookSinkOptions } from './options.ts'
import { createSigner } from './signer.ts'
import { openStateFile } from './state-file.ts'
import { createWebhookDestination } from './webhook-destination.ts'

const budgetMs = 30_000

/**
 * Sends each record to a receiver, at least once, signed as Standard Webhooks defines it. Records of a partition are sent
 * in order, the next one after the receiver has accepted the one before. Partitions of a topic are sent concurrently.
 *
 * After a crash, what was sent without an answer is sent again, with the same `webhook-id`.
 *
 * @throws {UserError} `invalid_destination`: the URL or another option. `invalid_webhook_secret`.
 *
 * @example
 * ```ts
 * const sink = webhookSink({ url: 'https://example.com/hooks', secret: process.env.WEBHOOK_SECRET ?? '' })
 * await runSink({ sink, client, topics, signal, log })
 * ```
 */
export function webhookSink(options: WebhookSinkOptions): SinkDefinition {
  const { url, secret, state = '.headrace/sinks', batch = 1, timeoutMs = 15_000 } = options
  checkUrl(url)
  checkNumber('batch', batch, 1000)
  checkNumber('timeoutMs', timeoutMs, 300_000)
  const sign = createSigner(secret)
  return defineSink({
    kind: 'webhook',
    records: 'canonical',
    batchRecords: 1000,
    // A webhook keeps nothing that could be read.
    open: async (context) =>
      context.readOnly
        ? nothingStored
        : createWebhookDestination(context, {
            receiver: { url, sign, timeoutMs, budgetMs, log: context.log },
            state: await openStateFile(state, context),
            batch,
          }),
  })
}

const nothingStored: Destination = {
  async prepare() {},
  readCursor: async () => undefined,
  async apply() {},
  async close() {},
}

function checkUrl(text: string): void {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash) return
  throw new UserError(
    'invalid_destination',
    'The address of a webhook must be a URL such as https://host/path, without a user, a password and a fragment.',
  )
}

function checkNumber(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return
  throw new UserError('invalid_destination', `${name} is ${value}. It must be an integer from 1 to ${max}.`)
}

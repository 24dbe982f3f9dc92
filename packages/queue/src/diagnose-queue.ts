import type { Finding } from './finding.ts'
import type { OpenQueueOptions } from './open-queue.ts'
import { defaultQueueUrl, parseQueueUrl } from './queue-url.ts'

export interface DiagnoseQueueOptions extends Pick<OpenQueueOptions, 'kafkaConfig'> {
  /** Default false. Only for an embedded queue that no other process has open. */
  readonly repair?: boolean
  /** An abort ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * How this client connects to a queue on Kafka: security protocol, mechanism, and compression, without secrets. Opens no
 * connection. `undefined` for an embedded queue.
 *
 * @throws {UserError} `invalid_queue_url`, `invalid_kafka_config`.
 */
export async function describeClient(
  url: string,
  { kafkaConfig }: Pick<OpenQueueOptions, 'kafkaConfig'>,
): Promise<string | undefined> {
  const address = parseQueueUrl(url, kafkaConfig)
  if (address.engine === 'embedded') return undefined
  const kafka = await import('./kafka/describe-client.ts')
  return kafka.describeClient(address)
}

/**
 * Checks a queue, even one that `openQueue` refuses: every row and batch of an embedded queue, the settings of Kafka.
 * No findings: no problems.
 *
 * A repair copies every batch with a valid checksum to a new file, reports each missing range of offsets as
 * `lost_records`, then replaces the damaged file, which is kept. Ending the iteration at such a finding keeps the queue
 * unchanged. Reading a lost range fails with `position_lost`; a reader may continue after it. If rows of topics are
 * damaged or missing, or the topic of a partition is not certain, nothing is changed, and the last finding is an error
 * that is not repaired.
 *
 * @param url - As for `openQueue`.
 * @throws {UserError} `invalid_queue_url`, `invalid_kafka_config`. Later errors are findings.
 *
 * @example
 * ```ts
 * for await (const { place, message } of diagnoseQueue('embedded:.headrace')) console.log(place, message)
 * ```
 */
export async function* diagnoseQueue(
  url: string = defaultQueueUrl,
  { repair = false, kafkaConfig, signal }: DiagnoseQueueOptions = {},
): AsyncGenerator<Finding, void, undefined> {
  const address = parseQueueUrl(url, kafkaConfig)
  if (address.engine === 'embedded') {
    const { diagnoseEmbedded } = await import('./embedded/diagnosis/diagnose-embedded.ts')
    yield* diagnoseEmbedded(address.directory, repair, signal)
  } else {
    const { diagnoseKafka } = await import('./kafka/diagnose.ts')
    yield* diagnoseKafka({ ...address, ...(signal && { signal }) })
  }
}

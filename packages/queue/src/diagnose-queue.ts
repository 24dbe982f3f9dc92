import type { Finding } from './finding.ts'
import { defaultQueueUrl, parseQueueUrl } from './queue-url.ts'

export interface DiagnoseQueueOptions {
  /** Path of a `client.properties` file, as for `openQueue`. */
  readonly kafkaConfig?: string
  /** Whether to repair an embedded queue, which no other process may have open. Kafka is never changed. Default false. */
  readonly repair?: boolean
  /** An abort ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * Checks a queue, even one that `openQueue` refuses. Of an embedded queue every row and batch is read. Of Kafka the
 * settings are checked. No findings: no problems.
 *
 * A repair copies every batch with a valid checksum to a new file, and reports each range of offsets that is missing in it
 * as `lost_records`. Then the new file replaces the damaged one, which is kept next to it. A caller that stops the
 * iteration at one of these findings keeps the queue unchanged. Reading a lost range fails with `position_lost`, and a
 * reader may continue after it. Undamaged records are neither lost nor changed.
 *
 * A repair changes nothing if rows of topics are damaged or missing, or if the topic of a partition is not certain: then
 * the last finding is an error that is not repaired.
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
    yield* diagnoseEmbedded({ directory: address.directory, repair, signal })
  } else {
    const { diagnoseKafka } = await import('./kafka/diagnose.ts')
    yield* diagnoseKafka({ ...address, ...(signal && { signal }) })
  }
}

import type { Finding } from './finding.ts'
import { defaultQueueUrl, parseQueueUrl } from './queue-url.ts'

export interface DiagnoseQueueOptions {
  /** Path of a `client.properties` file, as for `openQueue`. */
  readonly kafkaConfig?: string
  /**
   * Whether to repair an embedded queue, which no other process may have open. A Kafka is never changed. Default false.
   */
  readonly repair?: boolean
  /** Ends it: the iteration throws its reason. */
  readonly signal?: AbortSignal
}

/**
 * Looks for what is wrong with a queue, also with one that `openQueue` refuses. An embedded queue is read from its first
 * page to its last: every row and batch, and every column that a repair relies on. Of a Kafka the settings are compared
 * with what is needed. Without findings nothing is wrong.
 *
 * A repair writes a new file of each batch that its checksum confirms, and reports every range of offsets that is not in
 * it as `lost_records`, with `lost`. Only then it puts the file in the place of the damaged one, which is kept next to it:
 * a caller that stops at one of these findings keeps the queue as it is. Reading where records were lost then ends with
 * `position_lost`, and a reader may continue after them. What was not damaged is neither lost nor changed.
 *
 * A repair changes nothing where the rows of topics are damaged or missing, or where it is not certain to which topic a
 * partition belongs: the last finding then is an error that is not repaired.
 *
 * @param url - As for `openQueue`.
 * @throws {UserError} `invalid_queue_url`, `invalid_kafka_config`. Whatever goes wrong later is a finding.
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

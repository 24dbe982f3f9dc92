import type { Finding } from './finding.ts'
import { defaultQueueUrl, parseQueueUrl } from './queue-url.ts'

export interface DiagnoseQueueOptions {
  /** Path of a `client.properties` file, as for `openQueue`. */
  readonly kafkaConfig?: string
  /**
   * Whether to mend what can be mended without saying anything untrue. An embedded queue only, which no other process
   * may have open meanwhile: a Kafka is never changed. Default false.
   */
  readonly repair?: boolean
  /** Ends it: the iteration throws its reason. */
  readonly signal?: AbortSignal
}

/**
 * Looks for what is wrong with a queue, also with one that `openQueue` refuses. An embedded queue is read from its first
 * page to its last; of a Kafka the settings are compared with what is needed. Without findings all is well.
 *
 * A repair writes a new file of what can be trusted and keeps the damaged one beside it. Reading where records were
 * lost then ends with `position_lost`, and a reader may go on behind them.
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

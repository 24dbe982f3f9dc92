import type { KafkaSettings } from './kafka/connection/kafka-settings.ts'
import type { Logger } from './logger.ts'
import type { Queue } from './queue.ts'
import { defaultQueueUrl, parseQueueUrl } from './queue-url.ts'

export interface OpenQueueOptions {
  /**
   * Path of a `client.properties` file as of Kafka's own tools: `security.protocol`, `sasl.*`, `ssl.*`, `compression.*`.
   */
  readonly kafkaConfig?: string
  /** Default: `defaultKafkaSettings`. */
  readonly kafka?: Partial<KafkaSettings>
  readonly log?: Logger
  /** Whether to create an embedded queue that does not exist. Default true. */
  readonly create?: boolean
}

/**
 * Opens a queue.
 *
 * @param url - `embedded:PATH`, a folder relative to the current directory, or `kafka://host:port[,host:port]`.
 * @throws {UserError} `invalid_queue_url`, `queue_not_found`, `permission_denied`, `unsupported_storage`; for Kafka
 *   `invalid_kafka_config`, `authentication_failed`, `tls_failed`, `wrong_security_protocol` or `unsupported_broker`.
 * @throws {QueueUnavailableError}
 *
 * @example
 * ```ts
 * const queue = await openQueue('embedded:.headrace')
 * await queue.createTopics([{ name: 'greetings' }])
 * await queue.append([{ topic: 'greetings', key: null, value: Buffer.from('hello'), time: Date.now() }])
 * await queue.close()
 * ```
 */
export async function openQueue(
  url: string = defaultQueueUrl,
  { create = true, kafka = {}, kafkaConfig, log }: OpenQueueOptions = {},
): Promise<Queue> {
  const address = parseQueueUrl(url, kafkaConfig)
  if (address.engine === 'embedded') {
    const { createEmbeddedQueue } = await import('./embedded/embedded-queue.ts')
    return createEmbeddedQueue({ directory: address.directory, create, log })
  }
  const { createKafkaQueue } = await import('./kafka/kafka-queue.ts')
  return createKafkaQueue({ ...address, settings: kafka, ...(log && { log }) })
}

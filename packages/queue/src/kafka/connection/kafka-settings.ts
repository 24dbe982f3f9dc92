/** Times and sizes of the Kafka engine. A killed partition leader or coordinator takes 10 to 13 s to heal. */
export interface KafkaSettings {
  /** How long to wait for one answer, in ms. After it the connection is given up. Default 30,000. */
  readonly requestTimeoutMs: number
  /** How long to wait for a connection, in ms. Default 10,000. */
  readonly connectTimeoutMs: number
  /** How long an operation is tried again before it fails with `QueueUnavailableError`, in ms. Default 45,000. */
  readonly budgetMs: number
  /** How long a writer's transaction may be open where its options do not say, in ms. Default 60,000. */
  readonly transactionTimeoutMs: number
  /** How batches of 4 KiB and more are written, except to compacted topics. Default `zstd`. */
  readonly compression: 'none' | 'zstd'
  /** Bytes of a transaction's batches that may wait to leave or to be answered before `drain` waits. Default 16 MiB. */
  readonly bufferBytes: number
  /** Produce requests of a writer that may be without an answer, 1 or more. Default 16. */
  readonly requestsInFlight: number
  /**
   * After this time what is known of a topic that is written to or followed is asked for again, at another broker, in ms.
   * So long may it go unnoticed that a topic was deleted and created again, or that a leader was replaced which is cut
   * off from the other brokers. Default 30,000.
   */
  readonly metadataMaxAgeMs: number
}

export const defaultKafkaSettings: KafkaSettings = {
  requestTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  budgetMs: 45_000,
  transactionTimeoutMs: 60_000,
  compression: 'zstd',
  bufferBytes: 16 * 1024 * 1024,
  requestsInFlight: 16,
  metadataMaxAgeMs: 30_000,
}

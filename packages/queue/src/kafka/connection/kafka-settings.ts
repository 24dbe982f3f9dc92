/** Times and sizes of the engine. A killed partition leader or coordinator takes 10 to 13 s to heal. */
export interface KafkaSettings {
  /** How long to wait for one answer. After it the connection is given up. Default 30,000 ms. */
  readonly requestTimeoutMs: number
  /** How long to wait for a connection. Default 10,000 ms. */
  readonly connectTimeoutMs: number
  /** How long an operation is tried again before it fails with `QueueUnavailableError`. Default 45,000 ms. */
  readonly budgetMs: number
  /** How long a writer's transaction may be open where its options do not say. Default 60,000 ms. */
  readonly transactionTimeoutMs: number
  /** How batches of 4 KiB and more are written, except to compacted topics. Default `zstd`. */
  readonly compression: 'none' | 'zstd'
}

export const defaultKafkaSettings: KafkaSettings = {
  requestTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  budgetMs: 45_000,
  transactionTimeoutMs: 60_000,
  compression: 'zstd',
}

import type { Compression } from '../../record-batch/compression.ts'

/** Times and sizes of the Kafka engine. A cluster needs 10 to 13 s to replace a killed leader or coordinator. */
export interface KafkaSettings {
  /** Time limit of a request, in ms. A request that exceeds it closes the connection. Default 30,000. */
  readonly requestTimeoutMs: number
  /** Time limit of opening a connection, in ms. Default 10,000. */
  readonly connectTimeoutMs: number
  /** How long an operation is retried, in ms. Default 45,000. */
  readonly budgetMs: number
  /** Default of `WriterOptions.transactionTimeoutMs`, in ms. Default 60,000. */
  readonly transactionTimeoutMs: number
  /**
   * Compression of batches of 4 KiB and more, except in compacted topics and where a writer or the setting
   * `compression.type` of a topic names another one. Default: `compression.type` of `client.properties`, or `zstd`.
   */
  readonly compression: Compression
  /** Level of gzip, 1 to 9 or −1. Default: `compression.gzip.level` of `client.properties`, or 1, the fastest. */
  readonly gzipLevel: number
  /** Level of zstd, −131072 to 22. Default: `compression.zstd.level` of `client.properties`, or 1. */
  readonly zstdLevel: number
  /** Unsent or unacknowledged bytes of a transaction at which `drain` waits. Default 16 MiB. */
  readonly bufferBytes: number
  /** Unacknowledged Produce requests of a writer, 1 or more. Default 16. */
  readonly requestsInFlight: number
  /**
   * Age of topic metadata, in ms. Bounds how late a writer or follower notices that a topic was created again, or that
   * a leader that is cut off was replaced. Default 30,000.
   */
  readonly metadataMaxAgeMs: number
}

/** Batch size, in bytes. A reader of one record reads a whole batch: 256 KiB take a few ms from a cold disk. */
export const fullBatchBytes: number = 256 * 1024

export const defaultKafkaSettings: KafkaSettings = {
  requestTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  budgetMs: 45_000,
  transactionTimeoutMs: 60_000,
  compression: 'zstd',
  gzipLevel: 1,
  zstdLevel: 1,
  bufferBytes: 16 * 1024 * 1024,
  requestsInFlight: 16,
  metadataMaxAgeMs: 30_000,
}

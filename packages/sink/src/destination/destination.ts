import type { DataRecord } from '@headrace/client'
import type { Logger } from '@headrace/queue'
import type { TopicField } from '../field/topic-fields.ts'

/**
 * A kind of destination: what a sink keeps equal to topics. `defineSink` checks its type.
 *
 * A sink reads records, and applies them in batches. The destination stores each batch together with its cursor. After a
 * crash the sink reads the cursor from the destination, and continues there. If records and cursor are stored
 * atomically, each record is applied exactly once; otherwise at least once.
 */
export interface SinkDefinition {
  /** The kind of destination in messages and metrics, e.g. `postgres`. */
  readonly kind: string
  /**
   * `canonical`: records as they are published, and a revert for each that a reorganisation replaces. `final`: only
   * records that can no longer be reverted, some time later.
   */
  readonly records: 'canonical' | 'final'
  /** `record` (default): a row per record. `key`: only the newest record of each key is stored. */
  readonly rows?: 'record' | 'key'
  /**
   * Records of a batch, at least 1,000. Default 10,000. With fewer, topics take turns faster, and a run that is to stop
   * ends sooner.
   */
  readonly batchRecords?: number
  /**
   * Called at the start of a run, and again after each failure that is retried. At most one destination of a run is open
   * at a time.
   *
   * @throws {UserError} the run ends with it.
   * @throws {RetryableError} it is tried again, with a back-off.
   */
  open(context: SinkContext): Promise<Destination>
}

export interface SinkContext {
  /** The name of the sink. A destination may have several sinks, with different names. */
  readonly name: string
  readonly topics: readonly SinkTopic[]
  /**
   * Only `readCursor`, `readRows` and `close` will be called, and nothing may be written. Another run may write at the same
   * time: what is read is from one moment.
   */
  readonly readOnly: boolean
  readonly log: Logger
  /** Aborted when the run ends. */
  readonly signal: AbortSignal
}

export interface SinkTopic {
  /** Full name. */
  readonly topic: string
  /** The field with the record key, if the topic has one. */
  readonly key?: string
  /** Of its message, in order of number. `undefined`: its records have no protobuf schema. */
  readonly fields: readonly TopicField[] | undefined
  readonly partitions: number
}

/** The methods are called one at a time. */
export interface Destination {
  /**
   * Creates what is missing: tables, files, columns of new fields. Called once, before the other methods. Every topic is
   * checked before anything is written.
   *
   * @throws {UserError} a topic cannot be stored as it is.
   */
  prepare(): Promise<void>
  /** The cursor of the last applied batch of a topic. `undefined`: none was applied. */
  readCursor(topic: string): Promise<string | undefined>
  /**
   * Stores the records and the cursor. Batches of a topic come in order, each exactly once after the cursor that was read.
   *
   * When it resolves, they are durable, with all earlier batches of the topic. A destination with `holding` may resolve to
   * `held` instead: then they are in memory, become durable with a later batch or with `flush`, and come again after a crash.
   *
   * @throws {RetryableError} the destination is closed and opened again, and its cursor is read.
   * @throws {UserError} the run ends. `sink_taken_over`: another run of the sink has written.
   */
  apply(batch: SinkBatch): Promise<'held' | undefined>
  /** Of a destination that collects small batches, because each write costs much or makes a file. */
  readonly holding?: Holding
  /**
   * What is stored of a partition, in order of seq, for `connector verify --sink`. Those of several partitions are read at
   * the same time. Absent: the destination keeps nothing that could be read.
   */
  readRows?(topic: string, partition: number): AsyncIterable<readonly StoredRow[]>
  close(): Promise<void>
}

export interface Holding {
  /** In ms. A batch is held at most this long. */
  readonly longestMs: number
  /**
   * Makes the held batches of a topic durable. Called when the oldest is too old, and before `close` unless the run ends
   * with an error. Throws as `apply`.
   */
  flush(topic: string): Promise<void>
}

export interface SinkBatch {
  readonly topic: string
  /** In order within each partition. Empty if only the cursor is new. A revert comes after the record that it reverts. */
  readonly records: readonly SinkRecord[]
  /** The place after these records. Opaque: at most 4,096 characters of ASCII. */
  readonly cursor: string
}

export type SinkRecord = DataRecord<Readonly<Record<string, unknown>>>

/** A record as a destination has stored it. */
export interface StoredRow {
  /** The offset, if the record has no seq. */
  readonly seq: bigint
  readonly key: string | null
  /** In the form of the API. A field without a value is `null`; it may be absent if the row is older than the field. Times may be cut to microseconds. */
  readonly value: Readonly<Record<string, unknown>> | null
}

/**
 * Declares a kind of destination.
 *
 * @example
 * ```ts
 * export default defineSink({
 *   kind: 'file',
 *   records: 'canonical',
 *   open: async ({ topics }) => openFiles(topics),
 * })
 * ```
 */
export function defineSink(definition: SinkDefinition): SinkDefinition {
  return definition
}

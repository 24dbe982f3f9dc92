import type { MetricFamily } from './metrics/metric-family.ts'
import type { Compression } from './record-batch/compression.ts'
import type { Header, QueueRecord, RecordBatch } from './record-batch/record-batch.ts'

/** The caller may reuse the bytes of a record after `send` has returned or `append` has resolved. */
export interface NewRecord {
  readonly topic: string
  /** Default 0. */
  readonly partition?: number
  readonly key: Uint8Array | null
  /** `null` is a tombstone in a compacted topic. */
  readonly value: Uint8Array | null
  readonly headers?: readonly Header[]
  /** In ms since the Unix epoch, a non-negative safe integer. */
  readonly time: number
}

export interface TopicSpec {
  /** 1–249 characters of `[A-Za-z0-9._-]`. */
  readonly name: string
  /** 1–64. Default 1. */
  readonly partitions?: number
  /** `compact` keeps at least the newest record of each key. Default `delete`. */
  readonly cleanup?: Cleanup
}

export type Cleanup = 'delete' | 'compact'

export interface TopicDescription {
  readonly name: string
  /** 1–64 characters. Another one after the topic was deleted and created again. */
  readonly id: string
  /** `undefined` without permission to see it. */
  readonly cleanup: Cleanup | undefined
  readonly partitions: readonly PartitionBounds[]
}

/** The bounds of the committed records of a partition. */
export interface PartitionBounds {
  readonly earliest: bigint
  /** The offset after the last record that readers can see. */
  readonly end: bigint
}

export interface TopicPartition {
  readonly topic: string
  /** From 0. */
  readonly partition: number
}

/** The record at `offset` is the next one to read. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: bigint
  /** `TopicDescription.id`, to detect that the topic was created again. Default: the current topic. */
  readonly topicId?: string
}

export interface ReadLimits {
  /** Limit for batches, in bytes. At least one batch is returned if there is one. */
  readonly maxBytes: number
  /** How long to wait at the end for a record, in ms. Default 0. */
  readonly maxWaitMs?: number
  /** An abort rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface ReadResult {
  /** Committed batches in order of offset. */
  readonly batches: readonly RecordBatch[]
  /** The offset to continue from, also after aborted records and markers. */
  readonly next: bigint
  /** The end of the readable records. `next === end` proves that there were no more. */
  readonly end: bigint
}

export interface WriterOptions {
  /** Kafka's `transactional.id`. Only the newest writer of an id can write. */
  readonly id: string
  /** This run's random name, 1–64 characters. Only the run with the newest claim of an id may write. */
  readonly claim: string
  /** An engine may abort a transaction that is open for longer. Default 60,000 ms. */
  readonly transactionTimeoutMs?: number
  /** By topic. The embedded engine compresses only the topics that are named here. Default: that of the engine. */
  readonly compression?: ReadonlyMap<string, Compression>
}

/**
 * Topics and their committed records. All methods may be called concurrently. They throw `QueueUnavailableError` if the
 * queue is not reachable within the engine's budget, and `UnknownTopicError` for a topic or partition that does not
 * exist, except `createTopics` and `describe`.
 */
export interface Queue {
  /** For what only readers of one of them need. */
  readonly engine: 'embedded' | 'kafka'

  /**
   * Creates the topics that do not exist. They can be used when it resolves.
   *
   * @throws {TopicMismatchError} a topic exists with other settings. None is changed or created.
   * @throws {UserError} `invalid_topic`. None is created.
   */
  createTopics(specs: readonly TopicSpec[]): Promise<void>

  /** The named topics that exist, or all, ordered by name. */
  describe(topics?: readonly string[]): Promise<TopicDescription[]>

  /**
   * Fences all earlier writers of the id.
   *
   * @throws {FencedError} another run has claimed the id after this run did.
   */
  openWriter(options: WriterOptions): Promise<Writer>

  /**
   * Appends each record exactly once, in order within a partition, also between calls. Resolves when all are visible.
   * For topics that are never written in transactions: an open one would delay later records.
   *
   * @throws {RecordTooLargeError | UnknownTopicError} None is appended.
   */
  append(records: readonly NewRecord[]): Promise<void>

  /**
   * Reads at least one committed batch with a record, or proves that there is none (`next === end`).
   *
   * @throws {PositionLostError} the offset is before the earliest or after the end, or the topic was created again.
   */
  read(at: PartitionOffset, limits: ReadLimits): Promise<ReadResult>

  /**
   * The last committed record of a key in a partition of a compacted topic, even a tombstone, among all that were
   * committed before the call. Waits for earlier open transactions: at most their timeout and 15 s. Once a newer writer
   * of an id is open, earlier writers cannot change the answer.
   */
  latest(topic: string, partition: number, key: Uint8Array): Promise<QueueRecord | undefined>

  /**
   * The offset after the last record, with those of open transactions: a reader that has reached it has seen everything
   * that was committed before the call. Never less than the `end` of `describe`.
   */
  highWatermark(topic: string, partition: number): Promise<bigint>

  /**
   * The lowest offset of a record with a time of at least `timeMs`. If times decrease within the partition, any offset
   * at which they pass `timeMs`.
   */
  offsetForTime(topic: string, partition: number, timeMs: number): Promise<bigint | undefined>

  /**
   * Removes the records before an offset, which becomes the earliest unless a later one is. Storage may be freed later,
   * in whole batches.
   *
   * @throws {PositionLostError} the offset is negative or after the end. Nothing is removed.
   * @throws {TopicMismatchError} the topic's cleanup is not `delete`.
   */
  deleteBefore(topic: string, partition: number, offset: bigint): Promise<void>

  /**
   * Yields committed batches as they become visible, in order within a partition. No partition waits for another. Ends
   * when the signal is aborted or the queue is closed, and at once without positions. A topic that is created again is
   * detected even without a `topicId`.
   *
   * @throws {PositionLostError} as `read`. A topic that was deleted is an `UnknownTopicError`.
   */
  follow(positions: readonly PartitionOffset[], options: { readonly signal: AbortSignal }): AsyncIterable<RecordBatch>

  /** Names begin with `headrace_queue_`. */
  metrics(): readonly MetricFamily[]

  /** Closes all writers without committing and ends `follow`. Later calls throw `QueueUnavailableError`. */
  close(): Promise<void>
}

/** The fenced, transactional producer of one id. */
export interface Writer {
  /**
   * Takes no lock and sends nothing.
   *
   * @throws {TypeError} the previous transaction has not ended, or the writer is closed.
   */
  begin(): Transaction
  /**
   * To call before a run reports lost records, or its end: a newer run may be the cause.
   *
   * @throws {FencedError} another run has claimed this id. Final.
   */
  checkClaim(): Promise<void>
  /** Aborts an open transaction. */
  close(): Promise<void>
}

/** Records that become visible together, or never. */
export interface Transaction {
  /** The order within a partition is kept. */
  send(record: NewRecord): void

  /**
   * Resolves when the engine's buffer has space, even if sending has failed: `commit` reports that. Without it the
   * whole transaction may stay in memory.
   */
  drain(): Promise<void>

  /**
   * Resolves when every record is visible to every reader. Without records it does nothing.
   *
   * @throws {TransactionAbortedError} no record is or will be visible. Call `abort`, then send the same records again.
   *   `TransactionTimedOutError`: the broker aborted it after its timeout.
   * @throws {CommitUnknownError} no answer within the budget. Open a new writer with the same claim and read the
   *   checkpoint, which shows whether the transaction was committed.
   * @throws {FencedError} another run has claimed this id. Final.
   */
  commit(): Promise<void>

  /**
   * No record is or will be visible. After a refused commit it makes the writer ready for the next `begin`.
   *
   * @throws {FencedError}
   * @throws {QueueUnavailableError} the writer was not ready again within the budget.
   */
  abort(): Promise<void>
}

import type { MetricFamily } from './metrics/metric-family.ts'
import type { Header, QueueRecord, RecordBatch } from './record-batch/record-batch.ts'

/** Its bytes may be reused after `send` has returned or `append` has resolved. */
export interface NewRecord {
  readonly topic: string
  /** Default 0. */
  readonly partition?: number
  readonly key: Uint8Array | null
  /** `null` is a tombstone in a compacted topic. */
  readonly value: Uint8Array | null
  readonly headers?: readonly Header[]
  /** Milliseconds since the Unix epoch, a non-negative safe integer. */
  readonly time: number
}

export interface TopicSpec {
  /** 1–249 characters of `[A-Za-z0-9._-]`. */
  readonly name: string
  /** 1–64. Default 1. */
  readonly partitions?: number
  /** `compact` keeps at least the newest record of each key. Default `delete`: every record. */
  readonly cleanup?: Cleanup
}

export type Cleanup = 'delete' | 'compact'

export interface TopicDescription {
  readonly name: string
  /** 1–64 characters. Another one if the topic is deleted and created again. */
  readonly id: string
  /** `undefined` without permission to see it. */
  readonly cleanup: Cleanup | undefined
  readonly partitions: readonly PartitionBounds[]
}

/** The range of a partition's committed records. */
export interface PartitionBounds {
  readonly earliest: bigint
  /** The offset after the last record that readers can see now. */
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
  /** `TopicDescription.id`, to detect that the topic was deleted and created again. Default: the current topic. */
  readonly topicId?: string
}

export interface ReadLimits {
  /** Limit for batches, in bytes. At least one batch is returned if there is one. */
  readonly maxBytes: number
  /** How long to wait at the end for a record, in ms. Default 0. */
  readonly maxWaitMs?: number
  /** An abort rejects `read` with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface ReadResult {
  /** Committed data batches in order of offset. */
  readonly batches: readonly RecordBatch[]
  /** The offset to continue from, also after aborted records and transaction markers. */
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
}

/**
 * Topics and their committed records. All methods may be called concurrently, and throw `QueueUnavailableError` if the
 * queue is not reachable within the engine's budget.
 */
export interface Queue {
  /**
   * Creates the topics that do not exist, and resolves when all can be written to and read.
   *
   * @throws {TopicMismatchError} a topic exists with other settings. None is changed or created.
   * @throws {UserError} `invalid_topic`: a name or a number of partitions is out of range. None is created.
   */
  createTopics(specs: readonly TopicSpec[]): Promise<void>

  /** Describes the named topics that exist, or all, ordered by name. */
  describe(topics?: readonly string[]): Promise<TopicDescription[]>

  /**
   * Opens the writer of an id and fences all earlier ones.
   *
   * @throws {FencedError} another run has claimed the id during the call, or after this run claimed it.
   */
  openWriter(options: WriterOptions): Promise<Writer>

  /**
   * Appends records outside of transactions, each exactly once, in order within a partition, also between calls.
   * Resolves when all are visible.
   *
   * For topics that are never written in transactions: an open transaction would delay the records after it.
   *
   * @throws {RecordTooLargeError} None is appended.
   * @throws {UnknownTopicError} None is appended.
   */
  append(records: readonly NewRecord[]): Promise<void>

  /**
   * Reads committed batches of one partition: at least one with a record, or proves that there is none (`next ===
   * end`).
   *
   * @throws {PositionLostError} the offset is before the earliest or after the end, or the topic was created again.
   * @throws {UnknownTopicError}
   */
  read(at: PartitionOffset, limits: ReadLimits): Promise<ReadResult>

  /**
   * The last committed record of a key in one partition of a compacted topic, tombstones included, considering every
   * record that was committed before the call. It waits for open transactions of other writers before that: at most the
   * transaction timeout and 15 s. Once a newer writer of an id is open, earlier writers cannot change the answer.
   *
   * @throws {UnknownTopicError}
   */
  latest(topic: string, partition: number, key: Uint8Array): Promise<QueueRecord | undefined>

  /**
   * The offset after the last record of a partition, with records of open transactions: a reader that has reached it
   * has seen everything that was committed before the call. Never less than the `end` of `describe`.
   *
   * @throws {UnknownTopicError}
   */
  highWatermark(topic: string, partition: number): Promise<bigint>

  /**
   * The lowest offset of a record whose time is at or after `timeMs`. If times decrease within the partition, it is any
   * offset at which they pass `timeMs`.
   *
   * @throws {UnknownTopicError}
   */
  offsetForTime(topic: string, partition: number, timeMs: number): Promise<bigint | undefined>

  /**
   * Removes the records before an offset of a topic with cleanup `delete`. The offset becomes the earliest, unless a
   * later one is. Storage may be freed later, in whole batches.
   *
   * @throws {PositionLostError} the offset is negative or after the end. Nothing is removed.
   * @throws {TopicMismatchError} the topic's cleanup is not `delete`.
   * @throws {UnknownTopicError}
   */
  deleteBefore(topic: string, partition: number, offset: bigint): Promise<void>

  /**
   * Yields committed batches from these positions on, in order within a partition. No partition waits for another. Ends
   * when the signal is aborted or the queue is closed, and at once without positions. Even without a `topicId` a topic
   * that is created again is detected.
   *
   * @throws {PositionLostError} as `read`.
   * @throws {UnknownTopicError} a topic does not exist, or was deleted.
   */
  follow(positions: readonly PartitionOffset[], options: { readonly signal: AbortSignal }): AsyncIterable<RecordBatch>

  /** Names begin with `headrace_queue_`. May be empty. */
  metrics(): readonly MetricFamily[]

  /** Closes all writers without committing and ends `follow`. Later calls throw `QueueUnavailableError`. */
  close(): Promise<void>
}

/** The fenced, transactional producer of one id. */
export interface Writer {
  /**
   * Begins a transaction. Takes no lock and sends nothing.
   *
   * @throws {TypeError} the previous transaction has neither been committed nor aborted, or the writer is closed.
   */
  begin(): Transaction
  /**
   * For a run that is about to report lost records, or its end: a newer run may be the cause.
   *
   * @throws {FencedError} another run has claimed this id. Final.
   */
  checkClaim(): Promise<void>
  /** Aborts an open transaction and releases the writer. */
  close(): Promise<void>
}

/** Records that become visible together, or never. */
export interface Transaction {
  /**
   * Adds a record. The order within a partition is kept.
   *
   * @throws {RecordTooLargeError} The transaction continues without the record.
   * @throws {UnknownTopicError} If the engine has to ask the broker for the topic, `commit` throws it instead.
   */
  send(record: NewRecord): void

  /**
   * Resolves when the engine's buffer has space, even if sending has failed: `commit` reports that. Without calls of it
   * the whole transaction may stay in memory.
   */
  drain(): Promise<void>

  /**
   * Resolves when every record is visible to every reader.
   *
   * @throws {TransactionAbortedError} no record is or will be visible. Call `abort`, then begin again with the same
   *   records. `TransactionTimedOutError`: the broker aborted it after its timeout.
   * @throws {CommitUnknownError} no answer within the budget. Open a new writer with the same claim: the checkpoint
   *   then shows whether the transaction was committed.
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

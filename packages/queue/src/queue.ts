import type { MetricFamily } from './metrics/metric-family.ts'
import type { Header, QueueRecord, RecordBatch } from './record-batch/record-batch.ts'

/** A record to publish. Its bytes may be reused after `send` has returned or `append` has resolved. */
export interface NewRecord {
  readonly topic: string
  /** From 0. Default 0. */
  readonly partition?: number
  readonly key: Uint8Array | null
  /** `null` is a tombstone in a compacted topic. */
  readonly value: Uint8Array | null
  readonly headers?: readonly Header[]
  /** Milliseconds since the Unix epoch, a non-negative safe integer. */
  readonly time: number
}

/** A topic to create. */
export interface TopicSpec {
  /** 1–249 characters of `[A-Za-z0-9._-]`. */
  readonly name: string
  /** Number of partitions, 1–64. Default 1. */
  readonly partitions?: number
  /** `compact` keeps at least the newest record of each key, `delete` keeps every record. Default `delete`. */
  readonly cleanup?: Cleanup
}

export type Cleanup = 'delete' | 'compact'

export interface TopicDescription {
  readonly name: string
  /** Changes when a topic is deleted and created again with the same name. An opaque text of 1–64 characters. */
  readonly id: string
  /** `undefined` without the permission to see the topic's settings. */
  readonly cleanup: Cleanup | undefined
  /** Ordered by number, from 0. */
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

/** A position in a partition: the record at `offset` is the next one to read. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: bigint
  /**
   * `TopicDescription.id` of the topic to which the offset belongs. With it a topic that was deleted and created again is
   * detected. Default: the current topic of that name.
   */
  readonly topicId?: string
}

export interface ReadLimits {
  /** Bytes of batches to return at most. If there is a batch, at least one is returned, however large. */
  readonly maxBytes: number
  /** How long to wait at the end for a record, in ms. Default 0. */
  readonly maxWaitMs?: number
  /** An abort rejects `read` with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface ReadResult {
  /** Committed data batches in order of offset, from the requested offset on. */
  readonly batches: readonly RecordBatch[]
  /** The offset to continue from. It advances even over aborted records and transaction markers. */
  readonly next: bigint
  /** The end of the readable records at the time of the answer. `next === end` proves that there were no more. */
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
 * Topics and the records in them.
 *
 * Readers see only committed records. All methods may be called concurrently. Every method throws
 * `QueueUnavailableError` if the queue is not reachable within the engine's budget.
 */
export interface Queue {
  /**
   * Creates the topics that do not exist. When it resolves, all can be written to and read.
   *
   * @throws {TopicMismatchError} a topic exists with other settings. None is changed or created.
   * @throws {UserError} `invalid_topic`: a name or a number of partitions is out of range. None is created.
   */
  createTopics(specs: readonly TopicSpec[]): Promise<void>

  /** Describes the named topics, or all, ordered by name. Topics that do not exist are omitted. */
  describe(topics?: readonly string[]): Promise<TopicDescription[]>

  /**
   * Opens the writer of an id and fences all earlier ones.
   *
   * @throws {FencedError} another run has claimed the id during the call, or after this run claimed it.
   */
  openWriter(options: WriterOptions): Promise<Writer>

  /**
   * Appends records outside of transactions, each exactly once. The order within a partition is kept, also between calls
   * on the same queue. Resolves when all are visible.
   *
   * For topics that are never written in transactions (keys, usage, registry, owners): an open transaction would delay
   * the records after it.
   *
   * @throws {RecordTooLargeError} a record exceeds the limit of its topic. None is appended.
   * @throws {UnknownTopicError} None is appended.
   */
  append(records: readonly NewRecord[]): Promise<void>

  /**
   * Reads committed batches of one partition: at least one with a record, or proves that there is none (`next === end`).
   * Temporary obstacles, such as an election or a quota, are waited for within the engine's budget.
   *
   * @throws {PositionLostError} the offset is before the earliest or after the end, or the topic was created again.
   * @throws {UnknownTopicError}
   */
  read(at: PartitionOffset, limits: ReadLimits): Promise<ReadResult>

  /**
   * The final committed record of a key in one partition of a compacted topic, tombstones included.
   *
   * It considers every record that was committed before the call, even one that another writer's open transaction hides
   * from readers. So it may wait for that transaction: at most the transaction timeout and 15 s. After a newer writer of
   * an id has been opened, earlier writers cannot change the answer.
   *
   * @throws {UnknownTopicError}
   */
  latest(topic: string, partition: number, key: Uint8Array): Promise<QueueRecord | undefined>

  /**
   * The offset after the last record of a partition, with records of open transactions. A reader that has reached it has
   * seen everything that was committed before the call. Never less than the `end` of `describe`.
   *
   * @throws {UnknownTopicError}
   */
  highWatermark(topic: string, partition: number): Promise<bigint>

  /**
   * The lowest offset of a record whose time is at or after `timeMs`; `undefined` without such a record.
   *
   * Times should not decrease within a partition. If they do, the answer may be any offset at which the times pass
   * `timeMs`.
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
   * Yields committed batches from these positions on, as they become visible. The order within a partition is kept. No
   * partition waits for another. Ends when the signal is aborted or the queue is closed, and at once without positions.
   *
   * It follows the topics that exist at the start, even without a `topicId`.
   *
   * @throws {PositionLostError} as `read`.
   * @throws {UnknownTopicError} a topic does not exist, or was deleted.
   */
  follow(positions: readonly PartitionOffset[], options: { readonly signal: AbortSignal }): AsyncIterable<RecordBatch>

  /** Metrics of the engine. Names begin with `headrace_queue_`. May be empty. */
  metrics(): readonly MetricFamily[]

  /**
   * Closes all writers without committing, ends `follow`, and releases everything. Every other call throws
   * `QueueUnavailableError` from then on.
   */
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
   * Checks that this run has the newest claim. To be called before a run reports lost records, or its end: a newer run may
   * be the cause.
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
   * @throws {RecordTooLargeError} the record exceeds the limit of its topic. The transaction continues without it.
   * @throws {UnknownTopicError} If the engine has to ask the broker for the topic, `commit` throws it instead.
   */
  send(record: NewRecord): void

  /**
   * Resolves when fewer unsent bytes are in memory than the engine's buffer holds, even if sending has failed: `commit`
   * reports that. Without it the whole transaction may stay in memory.
   */
  drain(): Promise<void>

  /**
   * Resolves when every record is visible to every reader. Without records it does nothing.
   *
   * @throws {TransactionAbortedError} refused: no record is or will be visible. Call `abort`, then begin again with the
   *   same records. `TransactionTimedOutError`: the broker aborted it after its timeout.
   * @throws {CommitUnknownError} no answer within the budget. Open a new writer with the same claim: the checkpoint then
   *   shows whether the transaction was committed.
   * @throws {FencedError} another run has claimed this id. Final.
   */
  commit(): Promise<void>

  /**
   * Aborts: no record is or will be visible. After a refused commit it makes the writer ready for the next `begin`.
   *
   * @throws {FencedError}
   * @throws {QueueUnavailableError} the writer was not ready again within the budget.
   */
  abort(): Promise<void>
}

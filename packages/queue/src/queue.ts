import type { MetricFamily } from './metrics/metric-family.ts'
import type { QueueRecord, RecordBatch } from './record-batch/record-batch.ts'

/** A header of a record. Keys may repeat; order is kept. */
export interface Header {
  readonly key: string
  readonly value: Uint8Array
}

/** A record to publish. Its bytes may be reused when `send` has returned, or `append` has resolved. */
export interface NewRecord {
  readonly topic: string
  /** Partition to publish to, from 0. Default 0. */
  readonly partition?: number
  readonly key: Uint8Array | null
  /** `null` is a tombstone in a compacted topic. */
  readonly value: Uint8Array | null
  readonly headers?: readonly Header[]
  /** Milliseconds since the Unix epoch, a non-negative safe integer. */
  readonly time: number
}

/** How a topic is to be created. */
export interface TopicSpec {
  /** 1–249 characters of `[A-Za-z0-9._-]`. */
  readonly name: string
  /** Number of partitions, 1–64. Default 1. */
  readonly partitions?: number
  /** `compact` keeps at least the newest record of each key, `delete` keeps every record. Default `delete`. */
  readonly cleanup?: Cleanup
}

export type Cleanup = 'delete' | 'compact'

/** A topic as it is in the queue. */
export interface TopicDescription {
  readonly name: string
  /** Changes when a topic is deleted and created again under its name. An opaque text of 1–64 characters. */
  readonly id: string
  /** `undefined` where this user may not see the topic's settings. */
  readonly cleanup: Cleanup | undefined
  /** In order of their number, from 0. */
  readonly partitions: readonly PartitionBounds[]
}

/** Offsets between which a partition's committed records lie. */
export interface PartitionBounds {
  readonly earliest: bigint
  /** The offset after the last one a reader of committed records may see now. */
  readonly end: bigint
}

export interface TopicPartition {
  readonly topic: string
  /** From 0. */
  readonly partition: number
}

/** A place in a partition: the record at `offset` is the next one to read. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: bigint
  /**
   * `TopicDescription.id` of the topic that the offset was found in. With it a topic that was deleted and created again
   * is told apart, whatever it holds. Default: the topic that has the name now.
   */
  readonly topicId?: string
}

export interface ReadLimits {
  /** Bytes of batches to return at most. At least one batch is returned where there is one, however large. */
  readonly maxBytes: number
  /** How long to wait at the end for a first record, in ms. Default 0. */
  readonly maxWaitMs?: number
  /** Ends the waiting: `read` then rejects with its reason. */
  readonly signal?: AbortSignal
}

export interface ReadResult {
  /** Committed data batches in order of offset, each beginning at or after the offset asked for. */
  readonly batches: readonly RecordBatch[]
  /** The offset to go on from. It moves on even where nothing is visible (aborted records, transaction markers). */
  readonly next: bigint
  /**
   * The offset after the last one that could be read when the answer was made. `next === end`: nothing more could be
   * read then, which is proved and not guessed from an empty answer.
   */
  readonly end: bigint
}

export interface WriterOptions {
  /** Who writes: Kafka's `transactional.id`. At most one writer of an id is not fenced. */
  readonly id: string
  /** This run's random name, 1–64 characters. The newest claim of an id is the one that may write. */
  readonly claim: string
  /** After this time without commit an engine may abort a transaction. Default 60,000 ms. */
  readonly transactionTimeoutMs?: number
}

/**
 * Topics and the records in them.
 *
 * Only committed records are ever visible, to any reader, on any engine. All methods may be called concurrently.
 * Every method throws `QueueUnavailableError` when the queue cannot be reached within the engine's budget.
 */
export interface Queue {
  /**
   * Creates those topics that do not exist yet. They can be written to and read when it resolves.
   *
   * @throws {TopicMismatchError} a topic exists with other settings; the message says which. None is changed or created.
   * @throws {UserError} `invalid_topic`: a name or a number of partitions is out of range. None is created.
   */
  createTopics(specs: readonly TopicSpec[]): Promise<void>

  /** Describes the named topics that exist, or all. Unknown names are left out. In order of name. */
  describe(topics?: readonly string[]): Promise<TopicDescription[]>

  /**
   * Opens the one writer of an id and fences every earlier one.
   *
   * @throws {FencedError} another run claimed the id while this one was opening, or after this run had claimed it.
   */
  openWriter(options: WriterOptions): Promise<Writer>

  /**
   * Appends records outside transactions, each exactly once. Order within a partition is kept, also between the calls
   * of one queue. Resolves when all are visible.
   *
   * For what must be readable whatever an open transaction does: keys, usage, registry, owners. Such a topic is not
   * written to in transactions, or the first that is open would hold back what is appended after it.
   *
   * @throws {RecordTooLargeError} a record exceeds what its topic takes. None is appended.
   * @throws {UnknownTopicError} a record has nowhere to go. None is appended.
   */
  append(records: readonly NewRecord[]): Promise<void>

  /**
   * Reads committed batches of one partition. Gives at least one batch with a record, or proves that there is none:
   * then `next === end`. What keeps a queue from answering although it holds records, a leader that was just elected
   * or a quota, is waited for within the engine's budget.
   *
   * @throws {PositionLostError} the offset lies before the earliest one kept or after the end; both are named. Or it is
   *   of a topic that was deleted, and created again under its name.
   * @throws {UnknownTopicError}
   */
  read(at: PartitionOffset, limits: ReadLimits): Promise<ReadResult>

  /**
   * The final committed record of a key in one partition of a compacted topic, tombstones included.
   *
   * Final: it takes into account every record whose commit had returned when this was called, also where another
   * writer's open transaction hides it from readers. So it may wait for such a transaction to end, up to the transaction
   * timeout and 15 s. Once a newer writer of an id has been opened, nothing of the ones before can change it.
   *
   * @throws {UnknownTopicError}
   */
  latest(topic: string, partition: number, key: Uint8Array): Promise<QueueRecord | undefined>

  /**
   * The offset after every record that lies in a partition by now, those of open transactions included: who has read up
   * to it has seen all that was committed before the call. Never before the `end` of `describe`.
   *
   * @throws {UnknownTopicError}
   */
  highWatermark(topic: string, partition: number): Promise<bigint>

  /**
   * The lowest offset of a record whose time is at or after `timeMs`; `undefined` where there is none.
   *
   * Times are expected not to go back within a partition. Where they do, the answer may be a later one of the places
   * at which they pass `timeMs`.
   *
   * @throws {UnknownTopicError}
   */
  offsetForTime(topic: string, partition: number, timeMs: number): Promise<bigint | undefined>

  /**
   * Removes the records before an offset of a topic with cleanup `delete`. The offset becomes the earliest, unless a
   * later one is. Whole batches may be kept in storage, but are not read again.
   *
   * @throws {PositionLostError} the offset is negative or lies after the end. Nothing is removed.
   * @throws {TopicMismatchError} the topic's cleanup is not `delete`.
   * @throws {UnknownTopicError}
   */
  deleteBefore(topic: string, partition: number, offset: bigint): Promise<void>

  /**
   * Yields committed batches from the given places on, as they become visible: in order within a partition, in no
   * particular order between partitions, of which none waits for the long history of another. Ends quietly when the
   * signal is aborted or the queue closed, and at once without places.
   *
   * It follows the topics that it began with, even where the places name no `topicId`.
   *
   * @throws {PositionLostError} as `read`.
   * @throws {UnknownTopicError} a topic does not exist, or no longer.
   */
  follow(positions: readonly PartitionOffset[], options: { readonly signal: AbortSignal }): AsyncIterable<RecordBatch>

  /** What the engine counts, for those who run the program. Names begin with `headrace_queue_`. May be empty. */
  metrics(): readonly MetricFamily[]
  /**
   * Ends all that is under way and releases everything. Open writers are closed without committing, `follow` ends, and
   * every other call throws `QueueUnavailableError` from now on.
   */
  close(): Promise<void>
}

/** The fenced, transactional producer of one id. */
export interface Writer {
  /**
   * Begins a transaction. Takes no lock and sends nothing.
   *
   * @throws {TypeError} the one before has neither been committed nor aborted, or the writer is closed.
   */
  begin(): Transaction
  /**
   * Reads whose claim is the newest. To be called before a run reports a loss, or that it ends: where a newer run has
   * taken over, what looks like a loss is often that run's work.
   *
   * @throws {FencedError} another run has claimed this id since. Final.
   */
  checkClaim(): Promise<void>
  /** Aborts an open transaction and gives the writer up. */
  close(): Promise<void>
}

/** Records that become visible together, or never. */
export interface Transaction {
  /**
   * Adds a record. Order within a partition is kept. Nothing of it is visible before `commit` is called.
   *
   * @throws {RecordTooLargeError} the record exceeds what its topic takes; the transaction goes on without it.
   * @throws {UnknownTopicError} it has nowhere to go. Where an engine has to ask for the topic, `commit` throws it.
   */
  send(record: NewRecord): void

  /**
   * Resolves when what waits in memory to leave is less than the engine's buffer, whatever has become of it: `commit`
   * tells. Who sends without waiting for it now and then may hold the whole transaction in memory.
   */
  drain(): Promise<void>

  /**
   * Resolves when every record is visible to every reader. Without records it does nothing.
   *
   * @throws {TransactionAbortedError} refused: nothing of it is or will be visible. Call `abort`, then begin anew with
   *   the same records. `TransactionTimedOutError` is the case in which the broker gave up on it.
   * @throws {CommitUnknownError} no answer within the budget. Open a new writer with the same claim: its checkpoint
   *   then says whether the transaction was committed.
   * @throws {FencedError} another run has claimed this id. Final.
   */
  commit(): Promise<void>

  /**
   * Gives the transaction up: nothing of it is or will be visible. After a refused commit it makes the writer ready
   * for the next `begin`.
   *
   * @throws {FencedError}
   * @throws {QueueUnavailableError} the writer could not be made ready again within the budget.
   */
  abort(): Promise<void>
}

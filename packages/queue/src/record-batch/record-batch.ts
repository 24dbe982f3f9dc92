import type { Header } from '../queue.ts'

/** A record as it was read. Its bytes are views into the batch, not copies: do not write to them. */
export interface QueueRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  /** Milliseconds since the Unix epoch. */
  readonly time: number
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers: readonly Header[]
}

/** Committed records of one partition that lie together: a view of a record batch, decoded as it is walked. */
export interface RecordBatch {
  readonly topic: string
  readonly partition: number
  /** Offset of the first record that `records` yields or, where compaction took it, the place it had. */
  readonly baseOffset: bigint
  /** The offset to go on from after this batch. */
  readonly nextOffset: bigint
  /** The highest time of its records, in ms since the Unix epoch. */
  readonly maxTime: number
  /** Bytes of the batch as it is stored, records before `baseOffset` included. */
  readonly byteLength: number
  /** The records in order of offset. May be walked several times. */
  records(): IterableIterator<QueueRecord>
}

/** Keys may repeat. The order is kept. */
export interface Header {
  readonly key: string
  readonly value: Uint8Array
}

/** A record that was read. Its bytes are views of the batch: do not change them. */
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

/** Consecutive committed records of one partition, decoded during the iteration. */
export interface RecordBatch {
  readonly topic: string
  readonly partition: number
  /** Of the first record, even if compaction has removed it. */
  readonly baseOffset: bigint
  /** The offset after this batch. */
  readonly nextOffset: bigint
  /** Highest time of a record, in ms since the Unix epoch. */
  readonly maxTime: number
  /** Size of the stored batch, with records before `baseOffset`. */
  readonly byteLength: number
  /** In order of offset, from this one on. Default: all. May be called several times. */
  records(from?: bigint): IterableIterator<QueueRecord>
}

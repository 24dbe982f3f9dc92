/** A boundary between records: what a reader has read, and what comes next. */
export interface Cursor {
  readonly topics: readonly CursorTopic[]
}

export interface CursorTopic {
  /** `TopicDescription.id`: another one after the topic was created anew. */
  readonly id: string
  readonly topic: string
  /** The place in each partition, from 0. A partition that is not there starts at its earliest record. */
  readonly partitions: readonly PartitionPlace[]
}

export interface PartitionPlace {
  /** The offset to read next. */
  readonly offset: bigint
  /** The seq that the next record must have; `null` where it is not known. */
  readonly seq: number | null
}

/** Characters that a cursor has at most. */
export const cursorLimit = 4096

/** First byte of an encoded cursor: the version of its form. */
export const cursorVersion = 1

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
  /**
   * Of a reader of the canonical view: the head as of which it reads. Up to it records that had been taken back before it
   * are left out, from it on the log is read. One for each of `partitions`, none before its place. Absent: the log.
   */
  readonly asOf?: readonly PartitionPlace[]
}

export interface PartitionPlace {
  /** The offset to read next. */
  readonly offset: bigint
  /** The seq that the next record must have; `null` where it is not known. */
  readonly seq: number | null
}

/** Characters that a cursor has at most. */
export const cursorLimit = 4096

/** First byte of an encoded cursor: its form. Cursors without `asOf` are plain, so that they stay short. */
export const cursorForms = { plain: 1, asOf: 2 } as const

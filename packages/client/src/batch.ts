import type { DataRecord } from './record.ts'

/** What comes next of a topic, and where that leads to: apply the records and store the cursor together. */
export interface Batch<Message, Topic extends string = string> {
  readonly topic: Topic
  /** In order, of each partition. Empty where only the cursor, the unit or a gap is told. At most 1,000. */
  readonly records: readonly DataRecord<Message, Topic>[]
  /** The boundary after these records. With it as `from`, reading goes on exactly here. */
  readonly cursor: string
  /** The topic is whole through this unit of its connector. Told after some seconds of silence. */
  readonly wholeThrough?: string
  /** Records before these are lost. Only with `onGap: 'skip'`. */
  readonly gap?: Gap
}

/** Records that are lost to a reader. */
export interface Gap {
  /** The place after which they lay: what was read before, or the position that was asked for. */
  readonly after: string
  /**
   * `retention`: removed in the meantime. `recreated`: the topic was created anew. `truncated`: the log was cut back.
   * `missing`: the next seq did not come.
   */
  readonly reason: 'retention' | 'recreated' | 'truncated' | 'missing'
}

/** A batch of any of these topics. */
export type BatchOf<Messages, Topic extends keyof Messages & string> = {
  [Name in Topic]: Batch<Messages[Name], Name>
}[Topic]

/** A page of history. */
export interface Page<Message, Topic extends string = string> extends Batch<Message, Topic> {
  /**
   * The end of the topic as it was at the first page: the same on all pages. `subscribe` from it goes on after a range
   * up to `latest` without a hole and without an overlap.
   */
  readonly headCursor: string
}

/** A page of any of these topics. */
export type PageOf<Messages, Topic extends keyof Messages & string> = {
  [Name in Topic]: Page<Messages[Name], Name>
}[Topic]

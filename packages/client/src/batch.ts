/** Apply the records and store the cursor in one transaction. */
export interface Batch<Message, Topic extends string = string> {
  readonly topic: Topic
  /** At most 1,000, in order within each partition. Empty if only the cursor, `wholeThrough` or `gap` is new. */
  readonly records: readonly DataRecord<Message, Topic>[]
  /** The place after these records: reading continues exactly here with it as `from`. */
  readonly cursor: string
  /** The last unit of which every record has been read. Sent after some seconds without records. */
  readonly wholeThrough?: string
  /** Records before these are lost. Only with `onGap: 'skip'`. */
  readonly gap?: Gap
}

export interface Gap {
  /** The last cursor, or the requested position. */
  readonly after: string
  /**
   * `retention`: they were removed. `recreated`: the topic was deleted and created again. `truncated`: the log was cut
   * back. `missing`: a seq was skipped.
   */
  readonly reason: 'retention' | 'recreated' | 'truncated' | 'missing'
}

export type BatchOf<Messages, Topic extends keyof Messages & string> = {
  [Name in Topic]: Batch<Messages[Name], Name>
}[Topic]

export interface Page<Message, Topic extends string = string> extends Batch<Message, Topic> {
  /**
   * The end of the topic at the first page, the same on all pages. After a range up to `latest`, `subscribe` from it
   * continues without a gap or an overlap.
   */
  readonly headCursor: string
}

export type PageOf<Messages, Topic extends keyof Messages & string> = {
  [Name in Topic]: Page<Messages[Name], Name>
}[Topic]

/** 64-bit integers, times and bytes are strings. */
export type DataRecord<Message, Topic extends string = string> =
  | AppendRecord<Message, Topic>
  | RevertRecord<Message, Topic>

export interface AppendRecord<Message, Topic extends string = string> extends RecordMembers<Message, Topic> {
  readonly op: 'append'
}

/** Reverts an earlier record, with the same key and value. */
export interface RevertRecord<Message, Topic extends string = string> extends RecordMembers<Message, Topic> {
  readonly op: 'revert'
  /** The seq of the reverted record, in the same partition. */
  readonly reverts: string
}

interface RecordMembers<Message, Topic extends string> {
  readonly topic: Topic
  readonly partition: number
  /**
   * From 0 without gaps. (topic, partition, seq) identifies a record. `null` if a foreign program wrote it: then a loss
   * cannot be detected.
   */
  readonly seq: string | null
  /** The records published in one transaction. */
  readonly unit: string | null
  readonly offset: string
  /** RFC 3339. Never decreases within a partition, except in an adopted topic. */
  readonly time: string
  readonly key: string | null
  /** `null` without a value, or if `error` is set. */
  readonly value: Message | null
  /** `message`: what was found in bytes that could not be decoded. */
  readonly error?: { readonly code: 'decode_failed' | 'produce_failed'; readonly message?: string }
  /** The bytes that could not be decoded, in base64. */
  readonly raw?: string
  /**
   * With a filter or fields: how many records of the partition were left out between this one and the one before. The
   * client checks it with the seqs.
   */
  readonly skipped?: number
  /** The place after this record. */
  readonly cursor: string
}

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

/** A record, as the gateway's JSON says it. 64-bit integers, times and bytes are texts in it. */
export type DataRecord<Message, Topic extends string = string> =
  | AppendRecord<Message, Topic>
  | RevertRecord<Message, Topic>

/** A record that adds a message. */
export interface AppendRecord<Message, Topic extends string = string> extends RecordMembers<Message, Topic> {
  readonly op: 'append'
}

/** A record that takes an earlier one back. Its key and value are those of the record that it takes back. */
export interface RevertRecord<Message, Topic extends string = string> extends RecordMembers<Message, Topic> {
  readonly op: 'revert'
  /** The seq of the record that it takes back, in the same partition. */
  readonly reverts: string
}

interface RecordMembers<Message, Topic extends string> {
  readonly topic: Topic
  readonly partition: number
  /**
   * Counts the records of a partition from 0 without holes. (topic, partition, seq) is the record's identity. `null` on
   * records that a foreign program wrote: of those, a loss cannot be seen.
   */
  readonly seq: string | null
  /** The unit of the connector that the record belongs to. */
  readonly unit: string | null
  readonly offset: string
  /** RFC 3339. Never goes back within a partition. */
  readonly time: string
  readonly key: string | null
  /** `null` where `error` says why, and on records without a value. */
  readonly value: Message | null
  /** The place of a message that cannot be shown. */
  readonly error?: { readonly code: 'decode_failed' | 'produce_failed' }
  /** The bytes that could not be decoded, in base64. */
  readonly raw?: string
  /** The boundary after this record. */
  readonly cursor: string
}

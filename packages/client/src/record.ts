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

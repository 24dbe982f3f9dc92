import type { QueueRecord } from '@headrace/queue'
import type { Unit } from '../../connector/connector.ts'
import type { Schema } from '../../connector/schema.ts'

/** A record with a value. Its bytes are a view: copy what you keep. */
export interface InputRecord extends QueueRecord {
  readonly value: Uint8Array
}

export interface InputTopic<M> {
  readonly topic: string
  /** An error that it throws ends `read`. */
  decode(record: InputRecord): M
}

/**
 * Topics by the author's names: a full topic name, or one with a decoder. Without a decoder messages are the JSON that
 * readers get, by the schema in the registry.
 */
export type InputTopics<M> = { readonly [Name in keyof M]: string | InputTopic<M[Name]> }

/** An opaque position in the input. */
export type QueueCheckpoint = string

/** The members that a unit copies from the input: `{ ...place, messages }`. */
export type InputPlace = Omit<Unit<Schema, QueueCheckpoint>, 'messages'>

export interface MissingMessage {
  readonly name: string
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  /** `produce_failed`: it was never produced. `decode_failed`: it does not fit its schema. */
  readonly reason: 'produce_failed' | 'decode_failed' | 'no_value'
}

export interface QueueInput<M> {
  readonly place: InputPlace
  /**
   * Messages by name: partition after partition, in order within each. Empty lists where the unit only reverts, or
   * moves `final`.
   */
  readonly messages: { readonly [Name in keyof M]: readonly M[Name][] }
  /** Throw where they are required. */
  readonly missing: readonly MissingMessage[]
}

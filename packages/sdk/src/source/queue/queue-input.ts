import type { QueueRecord } from '@headrace/queue'
import type { Schema } from '../../connector/schema.ts'
import type { Unit } from '../../connector/unit.ts'

/** A record of an input topic that has a value. Its bytes are a view: copy what is kept. */
export interface InputRecord extends QueueRecord {
  readonly value: Uint8Array
}

/** An input topic whose messages the author decodes. */
export interface InputTopic<M> {
  readonly topic: string
  /** Makes the message of a record. What it throws ends `read`, as any error there. */
  decode(record: InputRecord): M
}

/**
 * Where the messages `M` come from, by the name under which they are handed out: a topic's full name, or that with a
 * decoder. Without one the value is as in the JSON that readers get, by the schema in the registry.
 */
export type InputTopics<M> = { readonly [Name in keyof M]: string | InputTopic<M[Name]> }

/** A place in the input: an opaque text, e.g. the cursor after a unit. */
export type QueueCheckpoint = string

/** What a unit takes over from the input: `{ ...place, messages }`. */
export type InputPlace = Omit<Unit<Schema, QueueCheckpoint>, 'messages'>

/** A message of the input that is not there. */
export interface MissingMessage {
  readonly name: string
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  /** `produce_failed`: it was never produced, and only its place kept. `decode_failed`: it does not fit its schema. */
  readonly reason: 'produce_failed' | 'decode_failed' | 'no_value'
}

/** One whole unit of the input. */
export interface QueueInput<M> {
  readonly place: InputPlace
  /** Those it appends, by name: per partition in order. Empty lists where it only takes back, or moves `final`. */
  readonly messages: { readonly [Name in keyof M]: readonly M[Name][] }
  /** Those that are not there. An author who cannot do without throws. */
  readonly missing: readonly MissingMessage[]
}

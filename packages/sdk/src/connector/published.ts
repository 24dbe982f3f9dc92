import type { DescMessage } from '@bufbuild/protobuf'
import type { Logger } from 'pino'
import type { VerifyFinding } from '../verification/finding.ts'
import type { EncodedMessages, Messages, Schema } from './schema.ts'

/** What a connector has published, for its `verify`. */
export interface Published<S extends Schema = Schema, C = unknown> {
  /** Validated settings with defaults. They contain secrets in plain text: put none into a finding. */
  readonly config: S['config']
  /** The newest checkpoint; `null` where the source begins from its start. */
  readonly checkpoint: C | null
  /**
   * The canonical units with records, oldest first, without those with missing records. They are read on demand:
   * iterate once, and keep none.
   */
  readonly units: AsyncIterable<PublishedUnit<S>>
  /** The message of this short name in the project's .proto files. `undefined`: it has no topic. */
  descriptor(message: string): DescMessage | undefined
  readonly signal: AbortSignal
  readonly log: Logger
}

export interface PublishedUnit<S extends Schema = Schema> {
  readonly unit: number
  /** By short message name: partition after partition, in order within each. */
  readonly records: { readonly [K in keyof S['messages']]?: readonly PublishedMessage[] }
  /** Short message name → topic, for every topic that existed when the unit was published. */
  readonly topics: { readonly [K in keyof S['messages']]?: string }
  /** Its checkpoint, as `read` yielded it. Absent where it is no longer kept. */
  readonly checkpoint?: unknown
  /** Bytes of keys and values. */
  readonly bytes: number
  /** Whether the unit before it is not known: it is the first one, or records before it are missing. */
  readonly isFirst: boolean
  /** Whether to compare this unit with the source. Of other units only the topics are checked. */
  readonly compare: boolean
  /**
   * Compares its records with the messages that the source has now: which there are, their order, keys and bytes.
   * Messages whose topics did not exist then are ignored.
   */
  differences(messages: Messages<S> | EncodedMessages<S>): VerifyFinding[]
}

export interface PublishedMessage {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly seq: number
  readonly unit: number
  /**
   * As readers get it: 64-bit integers are decimal strings, bytes as the manifest says. `null` where it could not be
   * produced or cannot be decoded, which is reported already.
   */
  readonly message: Readonly<Record<string, unknown>> | null
}

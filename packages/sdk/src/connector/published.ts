import type { Logger } from 'pino'
import type { VerifyFinding } from '../verification/finding.ts'
import type { Schema } from './schema.ts'
import type { Messages } from './unit.ts'

/** What stands in a connector's topics, for its `verify`. */
export interface Published<S extends Schema, C> {
  /** Validated settings, defaults filled in. Secrets are in it as they are: put none of it into a finding. */
  readonly config: S['config']
  /** The newest checkpoint; `null` where the source begins from its start next. */
  readonly checkpoint: C | null
  /**
   * The units that have records and that nothing has taken back, oldest first. They are read as they are asked for, so
   * take them once and keep none. Units of which a part is missing are left out.
   */
  readonly units: AsyncIterable<PublishedUnit<S>>
  /** Hand it to every request. */
  readonly signal: AbortSignal
  readonly log: Logger
}

/** What stands of one unit. */
export interface PublishedUnit<S extends Schema> {
  /** Its number. */
  readonly unit: number
  /** Its records by short message name: those of each partition in order, partition after partition. */
  readonly records: { readonly [K in keyof S['messages']]?: readonly PublishedMessage[] }
  /** Short message name → the topic that was published with it, those without records included. */
  readonly topics: { readonly [K in keyof S['messages']]?: string }
  /** The position of its checkpoint, as `read` yielded it. Left out where it is not kept any more. */
  readonly checkpoint?: unknown
  /** Bytes of their keys and values. */
  readonly bytes: number
  /**
   * Whether what was published before it cannot be seen: it is the first one, or a part of what was before it is missing.
   */
  readonly isFirst: boolean
  /** Whether this unit is to be compared with the source. Of the others only what can be seen in the topics is checked. */
  readonly compare: boolean
  /**
   * Compares all its records with the messages that the source has for this unit, as `read` would yield them now: which
   * there are, their order, their keys and their bytes. Messages whose topics were not yet published are left out.
   */
  differences(messages: Messages<S>): VerifyFinding[]
}

/** A record that stands. */
export interface PublishedMessage {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly seq: number
  readonly unit: number
  /**
   * As readers get it: fields by name, 64-bit integers as decimal strings, bytes as the manifest says. `null` where the
   * message could not be produced, or cannot be decoded: there is a finding about that already.
   */
  readonly message: Readonly<Record<string, unknown>> | null
}

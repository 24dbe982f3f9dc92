import type { MessageOf, Schema } from './schema.ts'

/** Messages by short name. Each list is published in its order, the lists in the order of the keys. */
export type Messages<S extends Schema> = {
  readonly [K in keyof S['messages']]?: readonly MessageOf<S['messages'][K]>[]
}

/**
 * What one transaction must hold whole, e.g. one block with its transactions.
 *
 * Readers see all of it or nothing. It is plain data: nothing in it is kept or changed by the runtime, and nothing in it
 * may be changed once it has been yielded. Its encoded messages are at most 64 MiB together.
 */
export interface Unit<S extends Schema, C> {
  /**
   * The source's position after this unit: what `history()[0]` is when the source is started again.
   *
   * JSON (objects, lists, strings, finite numbers, booleans, `null`), at most 64 KiB.
   */
  readonly checkpoint: C
  /** Left out or empty: only the checkpoint moves. */
  readonly messages?: Messages<S>
  /** First takes back every unit after the one with this checkpoint, one of `history()`. `null`: all of them. */
  readonly revertTo?: C | null
  /**
   * Nothing at or before the unit with this checkpoint will be taken back: one of `history()`, or this unit's own.
   * Once set it stays and only moves forward. A checkpoint that is not known moves nothing.
   */
  readonly final?: C
  /** Record time of messages without a time of their own. Default: the time of publishing. */
  readonly time?: Date
}

/** What a connector's `read` returns. */
export type Units<S extends Schema, C> = AsyncGenerator<Unit<S, C>, void, undefined>

import type { MessageOf, Schema } from './schema.ts'

/** Messages by short name. Lists are published in the order of the keys, each in its order. */
export type Messages<S extends Schema> = {
  readonly [K in keyof S['messages']]?: readonly MessageOf<S['messages'][K]>[]
}

/**
 * What one transaction must hold whole, e.g. one block with its transactions.
 *
 * Readers see all of it or nothing. It is plain data: the runtime neither keeps nor changes it, and it must not change
 * once it was yielded. Its encoded messages are at most 64 MiB in total.
 */
export interface Unit<S extends Schema, C> {
  /**
   * The source's position after this unit: `history()[0]` when the source is started again.
   *
   * JSON (objects, lists, strings, finite numbers, booleans, `null`), at most 64 KiB.
   */
  readonly checkpoint: C
  /** Absent or empty: only the checkpoint moves. */
  readonly messages?: Messages<S>
  /** First reverts every unit after the one with this checkpoint, which is one of `history()`. `null`: all of them. */
  readonly revertTo?: C | null
  /**
   * No unit up to the one with this checkpoint will be reverted: one of `history()`, or this unit's own. It only moves
   * forward. An unknown checkpoint is ignored.
   */
  readonly final?: C
  /** Record time of messages without a time of their own. Default: the time of publishing. */
  readonly time?: Date
}

/** What a connector's `read` returns. */
export type Units<S extends Schema, C> = AsyncGenerator<Unit<S, C>, void, undefined>

import type { MessageOf, Schema } from './schema.ts'

/** Messages by short name. Lists are published in the order of the keys. */
export type Messages<S extends Schema> = {
  readonly [K in keyof S['messages']]?: readonly MessageOf<S['messages'][K]>[]
}

/**
 * Messages that are committed in one transaction, e.g. one block with its transactions: at most 64 MiB encoded. It must
 * not change after it was yielded.
 */
export interface Unit<S extends Schema, C> {
  /** The source's position after this unit, as JSON of at most 64 KiB: `history()[0]` at the next start. */
  readonly checkpoint: C
  /** Absent or empty: only the checkpoint moves. */
  readonly messages?: Messages<S>
  /** First reverts every unit after the one with this checkpoint, which is one of `history()`. `null`: all of them. */
  readonly revertTo?: C | null
  /**
   * No unit up to the one with this checkpoint will be reverted: one of `history()`, or its own. An unknown checkpoint
   * is ignored.
   */
  readonly final?: C
  /** Record time of messages without a time of their own. Default: the time of publishing. */
  readonly time?: Date
}

export type Units<S extends Schema, C> = AsyncGenerator<Unit<S, C>, void, undefined>

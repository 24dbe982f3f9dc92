import type { NextSeqs } from '@headrace/catalog'
import type { NewRecord } from '@headrace/queue'
import type { Revert } from '../revert/revert.ts'

export interface EncodedRecord extends NewRecord {
  readonly partition: number
  readonly seq: number
  readonly message: string
}

/** A numbered unit, ready to be sent any number of times. Its bytes are in the writer that encoded it. */
export interface EncodedUnit {
  readonly unit: number
  readonly revert: Revert | undefined
  /** In the order of publishing. A record that the queue refuses is replaced by an empty one with the same seq. */
  readonly records: EncodedRecord[]
  readonly deadLetters: NewRecord[]
  readonly position: unknown
  /** The encoded checkpoint of the run after this unit. */
  readonly checkpoint: Uint8Array
  /** Seqs at which the revertible records begin after it; `null` where all are revertible. */
  readonly revertible: NextSeqs | null
  /** Of the keys and values of its records. */
  readonly bytes: number
}

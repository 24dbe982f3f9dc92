import type { NextSeqs } from '@headrace/catalog'
import type { NewRecord } from '@headrace/queue'
import type { Revert } from '../revert/revert.ts'
import type { UnitTrace } from '../trace/unit-trace.ts'

export interface EncodedRecord extends NewRecord {
  readonly partition: number
  readonly seq: number
  readonly message: string
}

/** A numbered unit, which can be sent repeatedly. Its bytes are in the writer that encoded it. */
export interface EncodedUnit {
  readonly unit: number
  readonly revert: Revert | undefined
  /** A record that the queue refuses is replaced by an empty one with the same seq. */
  readonly records: EncodedRecord[]
  readonly deadLetters: NewRecord[]
  readonly position: unknown
  readonly checkpoint: Uint8Array
  /** Seqs at which the revertible records begin; `null` where all are revertible. */
  readonly revertible: NextSeqs | null
  readonly bytes: number
  /** `undefined`: it is not sampled. */
  readonly trace?: UnitTrace | undefined
}

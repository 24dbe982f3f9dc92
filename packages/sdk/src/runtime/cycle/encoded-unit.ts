import type { NextSeqs } from '@headrace/catalog'
import type { NewRecord } from '@headrace/queue'
import type { Revert } from '../revert/revert.ts'

/** The record of one message, ready to be sent. */
export interface EncodedRecord extends NewRecord {
  readonly partition: number
  readonly seq: number
  /** Full name of the message. */
  readonly message: string
}

/** A unit with its numbers, ready to be sent as often as needed. Its bytes lie in the writer that encoded it. */
export interface EncodedUnit {
  /** Its number. */
  readonly unit: number
  /** What it takes back first. */
  readonly revert: Revert | undefined
  /** In the order of publishing. One that the queue refuses is replaced by the record that keeps its place. */
  readonly records: EncodedRecord[]
  readonly deadLetters: NewRecord[]
  /** The author's checkpoint. */
  readonly position: unknown
  /** The record value that says where the run stands after it. */
  readonly checkpoint: Uint8Array
  /** Where the records begin that can still be taken back after it; `null` where every one can. */
  readonly revertible: NextSeqs | null
  /** Bytes of the keys and values of its records. */
  readonly bytes: number
}

import type { SinkRecord } from './destination.ts'

/** The offset, if the record has no seq. */
export function seqOf({ seq, offset }: SinkRecord): string {
  return seq ?? offset
}

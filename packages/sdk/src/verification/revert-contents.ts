import { createHash } from 'node:crypto'
import type { RecordHeaders, SeqInterval } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'

/** Compares reverts with what they take back. It holds a number for each record of the interval that it is in. */
export interface RevertContents {
  /** Takes in the next dead record. Whether it is what it takes back, or takes back nothing. */
  take(record: QueueRecord, headers: RecordHeaders, seq: number, interval: SeqInterval): boolean
}

export function createRevertContents(): RevertContents {
  const digests = new Map<number, number>()
  let last = -1
  return {
    take(record, { op, reverts, error }, seq, interval) {
      if (interval.last !== last) digests.clear()
      last = interval.last
      if (op === 'append') {
        digests.set(seq, digestOf(record, error))
        return true
      }
      const taken = digests.get(reverts ?? -1)
      // Its own headers have made it too large, so that it has lost its value.
      if (record.value === null && error?.startsWith('record_too_large')) return true
      // Where it is not known, retention or a loss has removed it.
      return taken === undefined || taken === digestOf(record, error)
    },
  }
}

/** 48 bits of a hash of key, value and error. */
function digestOf({ key, value }: QueueRecord, error: string | undefined): number {
  const hash = createHash('sha256').update(`${key?.length} ${value?.length} ${error ?? ''} `)
  if (key) hash.update(key)
  if (value) hash.update(value)
  return hash.digest().readUIntBE(0, 6)
}

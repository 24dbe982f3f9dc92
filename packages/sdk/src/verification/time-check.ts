import { placeOf, type VerifyFinding } from './finding.ts'
import type { PlacedRecord } from './place-records.ts'
import type { KnownTopic } from './topics-to-verify.ts'

/** `previous` is the time of the record before it in its partition, in ms. */
export type TimeCheck = (placed: PlacedRecord, previous: number) => VerifyFinding | undefined

/**
 * A record has the time of its message, but not before the previous record's, and not after the publishing. A revert
 * has that of the record before.
 */
export function createTimeCheck(topic: KnownTopic | undefined): TimeCheck {
  return ({ record, headers, place }, previous) => {
    const { time } = record
    const at = placeOf(record, headers)
    const found = new Date(time).toISOString()
    if (time < previous) {
      const message = 'The record is earlier than the one before.'
      return { code: 'time_went_back', message, ...at, expected: new Date(previous).toISOString(), found }
    }
    // The time of a missing record before it is not known.
    const isAfterLoss = place!.skipped > 0
    const isRevert = headers.reverts !== undefined
    const latest = isRevert ? previous : messageTime(topic, headers.unit ?? 0, record.value)
    if (latest === undefined || time <= latest || time === previous || isAfterLoss) return undefined
    const message = isRevert ? 'The revert is later than the record before.' : 'The record is later than its message.'
    const expected = new Date(Math.max(latest, previous)).toISOString()
    return { code: 'time_wrong', message, ...at, expected, found }
  }
}

/** In ms; `undefined` where the message has none or cannot be decoded. */
export function messageTime(topic: KnownTopic | undefined, unit: number, value: Uint8Array | null): number | undefined {
  const readTime = topic?.formOf(unit).readTime
  if (!readTime || value === null) return undefined
  try {
    const time = readTime(value)
    return time === undefined ? undefined : Math.trunc(time)
  } catch {
    return undefined
  }
}

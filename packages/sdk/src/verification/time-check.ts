import { placeOf, type VerifyFinding } from './finding.ts'
import type { KnownTopic } from './partitions-to-verify.ts'
import type { PlacedRecord } from './place-records.ts'

/**
 * A record has the time of its message, but not before the previous record's, and not after the publishing. A revert
 * has that of the record before.
 *
 * @param previous - The time of the record before it in its partition, in ms.
 */
export function checkTime(
  topic: KnownTopic | undefined,
  { record, headers, place }: PlacedRecord,
  previous: number,
): VerifyFinding | undefined {
  const { time } = record
  const wrong = (code: string, message: string, expected: number): VerifyFinding => ({
    ...{ code, message, ...placeOf(record, headers) },
    ...{ expected: new Date(expected).toISOString(), found: new Date(time).toISOString() },
  })
  if (time < previous) return wrong('time_went_back', 'The record is earlier than the one before.', previous)
  // The time of a missing record before it is not known.
  if (place!.skipped > 0) return undefined
  const isRevert = headers.reverts !== undefined
  const latest = isRevert ? previous : messageTime(topic, headers.unit ?? 0, record.value)
  if (latest === undefined || time <= latest || time === previous) return undefined
  const message = isRevert ? 'The revert is later than the record before.' : 'The record is later than its message.'
  return wrong('time_wrong', message, Math.max(latest, previous))
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

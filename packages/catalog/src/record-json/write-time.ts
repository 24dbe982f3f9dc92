import type { JsonWriter } from './json-writer.ts'
import { writeDigits } from './write-number.ts'

/** 0001-01-01T00:00:00Z, the minimum of a Timestamp, in seconds since the Unix epoch. */
export const firstSecond = -62_135_596_800
/** 9999-12-31T23:59:59Z, the maximum. */
export const lastSecond = 253_402_300_799

/** RFC 3339 in UTC with 0, 3, 6 or 9 fractional digits, as in ProtoJSON. */
export function writeTime(out: JsonWriter, seconds: number, nanos: number): void {
  out.reserve(32)
  const { bytes } = out
  const days = Math.floor(seconds / 86_400)
  const second = seconds - days * 86_400
  let at = out.length
  bytes[at] = 0x22
  at = writeDate(bytes, at + 1, days)
  at = writeTwo(bytes, at, (second / 3600) | 0, colon)
  at = writeTwo(bytes, at, ((second / 60) | 0) % 60, colon)
  writeDigits(bytes, at, 2, second % 60)
  at = writeFraction(bytes, at + 2, nanos)
  bytes[at++] = 0x5a
  bytes[at++] = 0x22
  out.length = at
}

/** Limited to the range of Timestamps. */
export function writeRecordTime(out: JsonWriter, time: number): void {
  const seconds = Math.floor(time / 1000)
  if (seconds < 0) writeTime(out, 0, 0)
  else if (seconds > lastSecond) writeTime(out, lastSecond, 0)
  else writeTime(out, seconds, (time - seconds * 1000) * 1_000_000)
}

/** 3, 6 or 9 digits, or nothing for 0. */
export function writeFraction(bytes: Uint8Array, at: number, nanos: number): number {
  if (nanos === 0) return at
  bytes[at] = 0x2e
  const [digits, value] =
    nanos % 1_000_000 === 0 ? [3, nanos / 1_000_000] : nanos % 1000 === 0 ? [6, nanos / 1000] : [9, nanos]
  writeDigits(bytes, at + 1, digits, value)
  return at + 1 + digits
}

/** By eras of 400 years that begin on 1 March. */
function writeDate(bytes: Uint8Array, at: number, days: number): number {
  const sinceYearZero = days + 719_468
  const era = Math.floor(sinceYearZero / 146_097)
  const dayOfEra = sinceYearZero - era * 146_097
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0))
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  writeDigits(bytes, at, 4, yearOfEra + era * 400 + (month <= 2 ? 1 : 0))
  bytes[at + 4] = hyphen
  return writeTwo(bytes, writeTwo(bytes, at + 5, month, hyphen), day, 0x54)
}

function writeTwo(bytes: Uint8Array, at: number, value: number, after: number): number {
  writeDigits(bytes, at, 2, value)
  bytes[at + 2] = after
  return at + 3
}

const colon = 0x3a
const hyphen = 0x2d

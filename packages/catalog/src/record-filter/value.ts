import { firstSecond, lastSecond } from '../record-json/write-time.ts'

/** Kinds of values that are compared with each other. */
export type ValueKind = 'bool' | 'number' | 'text' | 'bytes' | 'time'

/** Texts are in UTF-8. An integer that a number cannot hold exactly is a bigint. */
export type Value = boolean | number | bigint | Uint8Array | Instant

export interface Instant {
  /** Since the Unix epoch. */
  readonly seconds: number
  readonly nanos: number
}

/** Negative, 0 or positive, or `NaN` if one of them is. Both are of the same kind. */
export function compareValues(one: Value, other: Value): number {
  if (one instanceof Uint8Array) return Buffer.compare(one, other as Uint8Array)
  if (typeof one === 'object') {
    const { seconds, nanos } = other as Instant
    return one.seconds - seconds || one.nanos - nanos
  }
  // JavaScript compares numbers with bigints exactly.
  const [left, right] = [one as number, other as number]
  if (left < right) return -1
  if (left > right) return 1
  return left >= right ? 0 : Number.NaN
}

export function shorten(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Of an unsigned integer in two halves. */
export function toInteger(low: number, high: number): number | bigint {
  return high < 0x20_0000 ? high * 0x1_0000_0000 + low : (BigInt(high) << 32n) | BigInt(low)
}

/** Of a signed integer in two halves. */
export function toSignedInteger(low: number, high: number): number | bigint {
  if (high < 0x8000_0000) return toInteger(low, high)
  const [positiveLow, carry] = low === 0 ? [0, 1] : [-low >>> 0, 0]
  const positive = toInteger(positiveLow, (~high + carry) >>> 0)
  return -positive
}

/** RFC 3339 with seconds, as in ProtoJSON; `undefined` if it is not one, or out of the range of a Timestamp. */
export function parseInstant(text: string): Instant | undefined {
  const found = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/.exec(text)
  if (!found) return undefined
  const [, date, time, fraction = '', zone] = found
  const local = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 19) !== `${date}T${time}`) return undefined
  const offset = zone!.length === 1 ? 0 : offsetOf(zone!)
  if (offset === undefined) return undefined
  const seconds = local / 1000 - offset
  if (seconds < firstSecond || seconds > lastSecond) return undefined
  return { seconds, nanos: Number(fraction.padEnd(9, '0')) }
}

function offsetOf(zone: string): number | undefined {
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))]
  if (hours > 23 || minutes > 59) return undefined
  return (hours * 3600 + minutes * 60) * (zone.startsWith('-') ? -1 : 1)
}

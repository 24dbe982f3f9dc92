import { writeBytes } from '../record-json/write-bytes.ts'
import { writeSigned64 } from '../record-json/write-number.ts'
import { firstSecond, lastSecond, writeTime } from '../record-json/write-time.ts'
import { MalformedMessageError } from '../wire/wire-reader.ts'
import type { AvroFixed, AvroLogical, AvroPrimitive } from './avro-schema.ts'
import type { AvroSource } from './avro-source.ts'

/** Writes an int or a long. */
export function writeInteger(source: AvroSource, kind: 'int' | 'long', logical: AvroLogical | undefined): void {
  if (logical?.name === 'date') writeDate(source, source.int())
  else if (logical?.name === 'time-millis') writeTimeOfDay(source, source.int() * 1000, 3)
  else if (logical?.name === 'time-micros') writeTimeOfDay(source, source.safeLong(), 6)
  else if (logical?.name === 'timestamp') writeTimestamp(source, logical)
  else writeNumber(source, kind)
}

function writeNumber(source: AvroSource, kind: 'int' | 'long'): void {
  const { out, reader } = source
  const isQuoted = kind === 'long' && source.quotesLongs
  if (kind === 'int') source.int()
  else source.long()
  if (isQuoted) out.byte(quote)
  writeSigned64(out, reader.low, reader.high)
  if (isQuoted) out.byte(quote)
}

function writeDate(source: AvroSource, days: number): void {
  const seconds = days * 86_400
  if (seconds < firstSecond || seconds > lastSecond) throw new MalformedMessageError('a date is out of range')
  source.out.ascii(`"${new Date(seconds * 1000).toISOString().slice(0, 10)}"`)
}

function writeTimeOfDay(source: AvroSource, micros: number, digits: number): void {
  if (micros < 0 || micros >= 86_400_000_000) throw new MalformedMessageError('a time of day is out of range')
  const seconds = new Date(Math.floor(micros / 1000)).toISOString().slice(11, 19)
  const fraction = String(micros % 1_000_000)
    .padStart(6, '0')
    .slice(0, digits)
  source.out.ascii(`"${seconds}.${fraction}"`)
}

/** RFC 3339 as in ProtoJSON. */
function writeTimestamp(source: AvroSource, { perSecond, isLocal }: AvroLogical & { name: 'timestamp' }): void {
  const { out, reader } = source
  source.long()
  const units = (BigInt(reader.high | 0) << 32n) | BigInt(reader.low)
  const whole = BigInt(perSecond)
  const rest = ((units % whole) + whole) % whole
  const seconds = Number((units - rest) / whole)
  if (seconds < firstSecond || seconds > lastSecond) throw new MalformedMessageError('a timestamp is out of range')
  writeTime(out, seconds, Number(rest) * (1e9 / perSecond))
  if (!isLocal) return
  out.length -= 2
  out.byte(quote)
}

/** Writes bytes, or a fixed number of them. */
export function writeBinary(
  source: AvroSource,
  type: AvroPrimitive | AvroFixed,
  logical: AvroLogical | undefined,
): void {
  const { out, reader, bytesForm } = source
  const end = type.kind === 'fixed' ? source.endAfter(type.size) : source.lengthEnd()
  const start = reader.at
  if (logical?.name === 'decimal') writeDecimal(source, start, end, logical.scale)
  else if (logical?.name === 'uuid' && type.kind === 'fixed')
    out.ascii(`"${hexOf(source, start, end).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}"`)
  else if (logical?.name === 'duration' && type.kind === 'fixed') writeDuration(source, start)
  else writeBytes(out, reader.bytes, start, end, bytesForm)
  reader.at = end
}

/** In bytes: converting takes quadratic time. */
const decimalLimit = 512
/** Digits after the point. */
const scaleLimit = 1000

/** Two's complement, big-endian. */
function writeDecimal(source: AvroSource, start: number, end: number, scale: number): void {
  const size = end - start
  if (size > decimalLimit || scale > scaleLimit) throw new MalformedMessageError('a decimal is too long')
  const unscaled = size === 0 ? 0n : BigInt.asIntN(size * 8, BigInt(`0x${hexOf(source, start, end)}`))
  source.out.ascii(`"${formatDecimal(unscaled, scale)}"`)
}

export function formatDecimal(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  const sign = unscaled < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

function hexOf({ reader }: AvroSource, start: number, end: number): string {
  return Buffer.from(reader.bytes.subarray(start, end)).toString('hex')
}

/** Three unsigned numbers, little-endian. */
function writeDuration({ reader, out }: AvroSource, start: number): void {
  const view = new DataView(reader.bytes.buffer, reader.bytes.byteOffset + start, 12)
  const [months, days, milliseconds] = [0, 4, 8].map((at) => view.getUint32(at, true))
  out.ascii(JSON.stringify({ months, days, milliseconds }))
}

const quote = 0x22

import { ScalarType } from '@bufbuild/protobuf'
import type { WireReader } from '../wire/wire-reader.ts'
import type { JsonWriter } from './json-writer.ts'
import { enumType, type FieldTable } from './message-table.ts'

/** A number, a bool or an enum, as in ProtoJSON. */
export function writeScalar(out: JsonWriter, reader: WireReader, field: FieldTable): void {
  const { type } = field
  if (type === ScalarType.DOUBLE) writeDouble(out, reader.double())
  else if (type === ScalarType.FLOAT) writeDouble(out, reader.float())
  else if (type === ScalarType.INT32) writeInteger(out, reader.varint32() | 0)
  else if (type === ScalarType.UINT32) writeUnsigned(out, reader.varint32())
  else if (type === ScalarType.SINT32) writeInteger(out, decodeZigzag(reader.varint32()))
  else if (type === ScalarType.FIXED32) writeUnsigned(out, reader.fixed32())
  else if (type === ScalarType.SFIXED32) writeInteger(out, reader.fixed32() | 0)
  else if (type === ScalarType.BOOL) writeBool(out, reader)
  else if (type === enumType) writeEnum(out, reader.varint32() | 0, field)
  else writeLong(out, reader, type)
}

/** In ProtoJSON, non-finite numbers are strings. */
export function writeDouble(out: JsonWriter, value: number): void {
  if (Number.isInteger(value) && value > 0 && value <= Number.MAX_SAFE_INTEGER) {
    writeUnsigned(out, value)
    return
  }
  const size = Math.abs(value)
  const scaled = Math.round(size * decimalScale)
  if (scaled > 0 && scaled <= scaledLimit && scaled / decimalScale === size) {
    if (value < 0) out.byte(minus)
    writeDecimal(out, scaled)
  } else if (Number.isFinite(value)) out.ascii(Object.is(value, -0) ? '-0' : String(value))
  else out.ascii(`"${value}"`)
}

/** In ten-thousandths. A decimal of up to 15 digits that equals a double is its shortest form. */
function writeDecimal(out: JsonWriter, scaled: number): void {
  const whole = Math.floor(scaled / decimalScale)
  let rest = scaled - whole * decimalScale
  writeUnsigned(out, whole)
  if (rest === 0) return
  let digits = 4
  for (; rest % 10 === 0; rest /= 10) digits--
  out.byte(point)
  out.reserve(digits)
  writeDigits(out.bytes, out.length, digits, rest)
  out.length += digits
}

export function decodeZigzag(value: number): number {
  return (value >>> 1) ^ -(value & 1)
}

function writeBool(out: JsonWriter, reader: WireReader): void {
  reader.varint64()
  out.ascii(reader.low === 0 && reader.high === 0 ? 'false' : 'true')
}

function writeEnum(out: JsonWriter, value: number, { enumNames }: FieldTable): void {
  const name = enumNames?.get(value)
  if (name) out.literal(name)
  else if (enumNames) writeInteger(out, value)
  else out.ascii('null')
}

function writeLong(out: JsonWriter, reader: WireReader, type: FieldTable['type']): void {
  if (type === ScalarType.FIXED64 || type === ScalarType.SFIXED64) reader.fixed64()
  else reader.varint64()
  if (type === ScalarType.SINT64) reader.zigzag64()
  out.byte(quote)
  if (type === ScalarType.UINT64 || type === ScalarType.FIXED64) writeUnsigned64(out, reader.low, reader.high)
  else writeSigned64(out, reader.low, reader.high)
  out.byte(quote)
}

/** From two unsigned halves. */
export function writeSigned64(out: JsonWriter, low: number, high: number): void {
  if (high < 0x8000_0000) writeUnsigned64(out, low, high)
  else {
    out.byte(minus)
    writeUnsigned64(out, -low >>> 0, (~high + (low === 0 ? 1 : 0)) >>> 0)
  }
}

/** From two unsigned halves. */
function writeUnsigned64(out: JsonWriter, low: number, high: number): void {
  if (high < 0x200000) {
    writeUnsigned(out, high * 0x1_0000_0000 + low)
    return
  }
  // Long division by 10^9, with digits of 16 bits so that each step is exact in a double.
  const first = Math.floor(high / billion)
  const upper = (high % billion) * 0x10000 + (low >>> 16)
  const second = Math.floor(upper / billion)
  const lower = (upper % billion) * 0x10000 + (low & 0xffff)
  const third = Math.floor(lower / billion)
  writeUnsigned(out, first * 0x1_0000_0000 + second * 0x10000 + third)
  out.reserve(9)
  writeDigits(out.bytes, out.length, 9, lower % billion)
  out.length += 9
}

export function writeUnsigned(out: JsonWriter, value: number): void {
  const digits = countDigits(value)
  out.reserve(digits)
  writeDigits(out.bytes, out.length, digits, value)
  out.length += digits
}

export function writeInteger(out: JsonWriter, value: number): void {
  if (value < 0) out.byte(minus)
  writeUnsigned(out, Math.abs(value))
}

/** Padded with zeros. */
export function writeDigits(bytes: Uint8Array, at: number, digits: number, value: number): void {
  let rest = value
  let place = at + digits
  // Division of 31-bit integers is several times faster than of doubles.
  while (rest > 0x3fff_ffff) {
    const quotient = Math.floor(rest / 1e6)
    writeDigits(bytes, place - 6, 6, rest - quotient * 1e6)
    place -= 6
    rest = quotient
  }
  let small = rest | 0
  for (; place > at + 1; place -= 2) {
    const quotient = (small / 100) | 0
    const pair = (small - quotient * 100) * 2
    bytes[place - 1] = pairs[pair + 1]!
    bytes[place - 2] = pairs[pair]!
    small = quotient
  }
  if (place > at) bytes[at] = 0x30 + (small % 10)
}

/** By halves, because most numbers are long. */
function countDigits(value: number): number {
  let rest = value
  let digits = 1
  if (rest >= 1e8) {
    rest /= 1e8
    digits += 8
  }
  if (rest >= 1e4) {
    rest /= 1e4
    digits += 4
  }
  if (rest >= 100) {
    rest /= 100
    digits += 2
  }
  return rest >= 10 ? digits + 1 : digits
}

const billion = 1_000_000_000
const pairs = Buffer.from(Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0')).join(''))
const minus = 0x2d
const quote = 0x22
const point = 0x2e
const decimalScale = 10_000
const scaledLimit = 999_999_999_999_999

import { ScalarType } from '@bufbuild/protobuf'
import { enumType, type FieldTable } from '../record-json/message-table.ts'
import { firstSecond, lastSecond } from '../record-json/write-time.ts'
import type { WireReader } from '../wire/wire-reader.ts'
import { empty, type Place, type Scope, type Source, unreadable } from './source.ts'
import { shorten, toInteger, toSignedInteger, type Value } from './value.ts'

/** Reads a value of the current record or item; `null` if there is none. */
export type Read = () => Value | null

/** Reads a single number, bool, string or bytes. */
export function readScalar({ source, slot }: Place, field: FieldTable, reader: WireReader): Read {
  if (field.type === ScalarType.STRING || field.type === ScalarType.BYTES) return readSpan({ source, slot }, empty)
  const decode = decoders[field.type as NumberType]
  const zero = field.type !== ScalarType.BOOL && 0
  return () => {
    source.load()
    const place = source.places[slot]!
    if (place === 0) return zero
    reader.bytes = source.bytes
    reader.at = place - 1
    return decode(reader)
  }
}

/** Reads text or bytes. */
export function readSpan({ source, slot }: Place, absent: Uint8Array | null): Read {
  return () => {
    source.load()
    const place = source.places[slot]!
    return place === 0 ? absent : source.bytes.subarray(place - 1, source.places[slot + 1])
  }
}

type NumberType = Exclude<FieldTable['type'], ScalarType.STRING | ScalarType.BYTES | 11>

const decoders: Readonly<Record<NumberType, (reader: WireReader) => Value>> = {
  [ScalarType.DOUBLE]: (reader) => reader.double(),
  [ScalarType.FLOAT]: (reader) => reader.float(),
  [ScalarType.INT32]: (reader) => reader.varint32() | 0,
  [ScalarType.UINT32]: (reader) => reader.varint32(),
  [ScalarType.SINT32]: (reader) => {
    const value = reader.varint32()
    return (value >>> 1) ^ -(value & 1)
  },
  [ScalarType.FIXED32]: (reader) => reader.fixed32(),
  [ScalarType.SFIXED32]: (reader) => reader.fixed32() | 0,
  [ScalarType.BOOL]: (reader) => {
    reader.varint64()
    return reader.low !== 0 || reader.high !== 0
  },
  [enumType]: (reader) => reader.varint32() | 0,
  [ScalarType.INT64]: (reader) => {
    reader.varint64()
    return toSignedInteger(reader.low, reader.high)
  },
  [ScalarType.UINT64]: (reader) => {
    reader.varint64()
    return toInteger(reader.low, reader.high)
  },
  [ScalarType.SINT64]: (reader) => {
    reader.varint64()
    reader.zigzag64()
    return toSignedInteger(reader.low, reader.high)
  },
  [ScalarType.FIXED64]: (reader) => {
    reader.fixed64()
    return toInteger(reader.low, reader.high)
  },
  [ScalarType.SFIXED64]: (reader) => {
    reader.fixed64()
    return toSignedInteger(reader.low, reader.high)
  },
}

/** Reads a 64-bit field whose number is in another field if it does not fit: big-endian bytes. */
export function readExact(read: Read, exact: Read): Read {
  return () => {
    const bytes = exact() as Uint8Array
    return bytes.length === 0 ? read() : shorten(BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
  }
}

/** Reads once for each record, or each item of an outer list. */
export function rememberedRead(read: Read, scope: Scope): Read {
  let readFor = -1
  let value: Value | null = null
  return () => {
    if (readFor !== scope.generation) {
      value = read()
      readFor = scope.generation
    }
    return value
  }
}

/** Reads a Timestamp from its fields. */
export function readTimestamp(
  source: Source,
  [secondsSlot, nanosSlot]: readonly [number, number],
  reader: WireReader,
): Read {
  return () => {
    source.load()
    const seconds = readInteger(source, secondsSlot, reader)
    const nanos = readInteger(source, nanosSlot, reader)
    if (seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos > 999_999_999) throw unreadable
    return { seconds, nanos }
  }
}

/** Exact in the range of Timestamps. */
function readInteger({ bytes, places }: Source, slot: number, reader: WireReader): number {
  const place = places[slot]!
  if (place === 0) return 0
  reader.bytes = bytes
  reader.at = place - 1
  reader.varint64()
  return (reader.high | 0) * 0x1_0000_0000 + reader.low
}

import { type DescField, ScalarType } from '@bufbuild/protobuf'
import type { SchemaSet } from '../schema/schema-set.ts'
import { WireReader, wireTypes } from '../wire/wire-reader.ts'
import { type EncodedForm, findField, requireField } from './find-field.ts'

/** Ms since the Unix epoch; `undefined` if the message has no time. */
export type TimeReader = (encoded: Uint8Array) => number | undefined

/**
 * Reads a `google.protobuf.Timestamp`, or an `int64` of seconds since the Unix epoch. A time before 1970 is 0, and one
 * after the year 9999 `undefined`.
 *
 * @throws {TypeError} there is no such message or field, or the field cannot be a time.
 */
export function createTimeReader(
  schema: SchemaSet,
  message: string,
  field: string,
  form: EncodedForm = {},
): TimeReader {
  const desc = requireField(schema, message, field)
  if (!isTimeField(desc)) throw new TypeError(`Field "${field}" of ${message} cannot be a time.`)
  const outer = new WireReader()
  const inner = new WireReader()
  const { number } = desc
  if (desc.fieldKind === 'scalar')
    return (encoded) => {
      outer.bytes = encoded
      return toTime(readInteger(outer, number, form), 0)
    }
  return (encoded) => {
    outer.bytes = encoded
    const place = findField(outer, number, wireTypes.length, form)
    if (!place) return undefined
    inner.bytes = encoded.subarray(place.start, place.end)
    return toTime(readInteger(inner, 1, form) ?? 0, readInteger(inner, 2, form) ?? 0)
  }
}

/** A single `google.protobuf.Timestamp` or `int64`. */
export function isTimeField(field: DescField): boolean {
  if (field.fieldKind === 'message') return field.message.typeName === 'google.protobuf.Timestamp'
  return field.fieldKind === 'scalar' && field.scalar === ScalarType.INT64
}

function readInteger(reader: WireReader, number: number, form: EncodedForm): number | undefined {
  const place = findField(reader, number, wireTypes.varint, form)
  if (!place) return undefined
  reader.at = place.start
  reader.varint64()
  return (reader.high | 0) * 0x1_0000_0000 + reader.low
}

function toTime(seconds: number | undefined, nanos: number): number | undefined {
  if (seconds === undefined || seconds > lastSecond) return undefined
  return Math.max(0, seconds * 1000 + Math.floor(nanos / 1_000_000))
}

/** 9999-12-31T23:59:59Z */
const lastSecond = 253_402_300_799

import { type DescField, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { lastSecond } from '../record-json/write-time.ts'
import { scalarForms } from '../schema/scalar-forms.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { MalformedMessageError, WireReader, wireTypes } from '../wire/wire-reader.ts'

/** `null` if the message has no key. */
export type KeyReader = (encoded: Uint8Array) => Uint8Array | null

/**
 * The bytes of a string or bytes field (a view of the message), or an integer as 8 bytes, big-endian. A missing field
 * has its zero value, or `null` if it is `optional`.
 *
 * @throws {TypeError} there is no such field, or it cannot be a key.
 */
export function createKeyReader(schema: SchemaSet, message: string, field: string, form: EncodedForm = {}): KeyReader {
  const desc = requireField(schema, message, field)
  if (!isKeyField(desc)) throw new TypeError(`Field "${field}" of ${message} cannot be a key.`)
  const reader = new WireReader()
  const { number, presence } = desc
  const scalar = desc.scalar!
  const wireType = wireTypes[scalarForms[scalar].wire]
  const isText = wireType === wireTypes.length
  const absent = presence === FeatureSet_FieldPresence.IMPLICIT ? new Uint8Array(isText ? 0 : 8) : null
  return (encoded) => {
    reader.bytes = encoded
    const place = findField(reader, number, wireType, form)
    if (!place) return absent
    if (isText) return encoded.subarray(place.start, place.end)
    reader.at = place.start
    readInteger(reader, scalar)
    const key = new Uint8Array(8)
    const view = new DataView(key.buffer)
    view.setUint32(0, reader.high)
    view.setUint32(4, reader.low)
    return key
  }
}

/** A single string, bytes or integer. */
export function isKeyField(field: DescField): boolean {
  if (field.fieldKind !== 'scalar') return false
  return field.scalar !== ScalarType.BOOL && field.scalar !== ScalarType.DOUBLE && field.scalar !== ScalarType.FLOAT
}

/** Into `low` and `high`, with its sign extended. */
function readInteger(reader: WireReader, scalar: ScalarType): void {
  const { wire, json } = scalarForms[scalar]
  if (wire === 'fixed64') reader.fixed64()
  else if (scalar === ScalarType.SINT32 || scalar === ScalarType.SINT64) {
    reader.varint64()
    reader.zigzag64()
  } else if (json === 'int64' || json === 'uint64') reader.varint64()
  else {
    reader.low = wire === 'fixed32' ? reader.fixed32() : reader.varint32()
    reader.high = json === 'int32' && reader.low >= 0x8000_0000 ? 0xffff_ffff : 0
  }
}

/** Ms since the Unix epoch; `undefined` if the message has no time. */
export type TimeReader = (encoded: Uint8Array) => number | undefined

/**
 * A time before 1970 is 0, and one after the year 9999 `undefined`.
 *
 * @throws {TypeError} there is no such field, or it cannot be a time.
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
      return toTime(readSigned(outer, number, form), 0)
    }
  return (encoded) => {
    outer.bytes = encoded
    const place = findField(outer, number, wireTypes.length, form)
    if (!place) return undefined
    inner.bytes = encoded.subarray(place.start, place.end)
    return toTime(readSigned(inner, 1, form) ?? 0, readSigned(inner, 2, form) ?? 0)
  }
}

/** A single `google.protobuf.Timestamp` or `int64`. */
export function isTimeField(field: DescField): boolean {
  if (field.fieldKind === 'message') return field.message.typeName === 'google.protobuf.Timestamp'
  return field.fieldKind === 'scalar' && field.scalar === ScalarType.INT64
}

function readSigned(reader: WireReader, number: number, form: EncodedForm): number | undefined {
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

interface EncodedForm {
  /** Encoders write singular fields at most once, but protobuf allows more. */
  readonly hasFieldsOnce?: boolean
}

interface FieldPlace {
  readonly start: number
  readonly end: number
}

/** The last occurrence of a top-level field; `undefined` if the message is malformed. */
function findField(reader: WireReader, number: number, wireType: number, form: EncodedForm): FieldPlace | undefined {
  try {
    return find(reader, ((number << 3) | wireType) >>> 0, form)
  } catch (error) {
    if (error instanceof MalformedMessageError) return undefined
    throw error
  }
}

function find(reader: WireReader, wanted: number, { hasFieldsOnce }: EncodedForm): FieldPlace | undefined {
  const end = reader.bytes.length
  let found: FieldPlace | undefined
  for (reader.at = 0; reader.at < end; ) {
    const tag = reader.varint32()
    const valueAt = reader.at
    reader.skip(tag, end, 0)
    if (reader.at > end) return undefined
    if (tag !== wanted) continue
    found = { start: valueAt, end: reader.at }
    if (hasFieldsOnce) break
  }
  if (!found || (wanted & 7) !== wireTypes.length) return found
  reader.at = found.start
  reader.varint32()
  return { start: reader.at, end: found.end }
}

function requireField(schema: SchemaSet, message: string, field: string): DescField {
  const desc = schema.message(message)?.fields.find(({ name }) => name === field)
  if (!desc) throw new TypeError(`There is no field "${field}" in a message "${message}".`)
  return desc
}

import { type DescField, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import type { SchemaSet } from '../schema/schema-set.ts'
import { WireReader, wireTypes } from '../wire/wire-reader.ts'
import { type EncodedForm, findField, requireField } from './find-field.ts'

/** `null` if the message has no key. */
export type KeyReader = (encoded: Uint8Array) => Uint8Array | null

/**
 * The key is the bytes of a string or bytes field (a view of the message), or an integer as 8 bytes, big-endian. A
 * missing field has its zero value, or `null` if it is `optional`.
 *
 * @throws {TypeError} there is no such message or field, or the field cannot be a key.
 */
export function createKeyReader(schema: SchemaSet, message: string, field: string, form: EncodedForm = {}): KeyReader {
  const desc = requireField(schema, message, field)
  if (!isKeyField(desc)) throw new TypeError(`Field "${field}" of ${message} cannot be a key.`)
  const reader = new WireReader()
  const { scalar, number } = desc
  const implicit = desc.presence === FeatureSet_FieldPresence.IMPLICIT
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) {
    const absent = implicit ? new Uint8Array(0) : null
    return (encoded) => {
      reader.bytes = encoded
      const place = findField(reader, number, wireTypes.length, form)
      return place ? encoded.subarray(place.start, place.end) : absent
    }
  }
  const { wireType, read } = integerForm(scalar!)
  return (encoded) => {
    reader.bytes = encoded
    const place = findField(reader, number, wireType, form)
    if (!place && !implicit) return null
    const key = new Uint8Array(8)
    if (!place) return key
    reader.at = place.start
    read(reader)
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

/** The wire type of an integer, and its reader into `low` and `high`. */
function integerForm(scalar: ScalarType): { wireType: number; read(reader: WireReader): void } {
  switch (scalar) {
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return { wireType: wireTypes.fixed64, read: (reader) => reader.fixed64() }
    case ScalarType.FIXED32:
      return { wireType: wireTypes.fixed32, read: (reader) => setNumber(reader, reader.fixed32()) }
    case ScalarType.SFIXED32:
      return { wireType: wireTypes.fixed32, read: (reader) => setNumber(reader, reader.fixed32() | 0) }
    case ScalarType.UINT32:
      return { wireType: wireTypes.varint, read: (reader) => setNumber(reader, reader.varint32()) }
    case ScalarType.INT32:
      return { wireType: wireTypes.varint, read: (reader) => setNumber(reader, reader.varint32() | 0) }
    case ScalarType.SINT32:
    case ScalarType.SINT64:
      return {
        wireType: wireTypes.varint,
        read(reader) {
          reader.varint64()
          reader.zigzag64()
        },
      }
    default:
      return { wireType: wireTypes.varint, read: (reader) => reader.varint64() }
  }
}

function setNumber(reader: WireReader, value: number): void {
  reader.low = value >>> 0
  reader.high = value < 0 ? 0xffff_ffff : 0
}

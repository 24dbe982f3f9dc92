import type { DescMessage } from '@bufbuild/protobuf'
import { varintSize, writeVarint } from '../record-header/varint.ts'
import type { FieldNumbers } from '../registry/registration.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { MalformedMessageError, WireReader, wireTypes } from '../wire/wire-reader.ts'

export type FieldFilter = (encoded: Uint8Array) => Uint8Array

/**
 * Keeps only fields in a schema and in `fields`, at any depth. Bytes that are not a message are returned unchanged.
 *
 * @throws {TypeError} there is no such message.
 */
export function createFieldFilter(schema: SchemaSet, message: string, fields: FieldNumbers): FieldFilter {
  const type = schema.message(message)
  if (!type) throw new TypeError(`There is no message "${message}".`)
  return (encoded) => {
    try {
      return filter(encoded, type, fields)
    } catch (error) {
      if (error instanceof MalformedMessageError) return encoded
      throw error
    }
  }
}

function filter(encoded: Uint8Array, type: DescMessage, fields: FieldNumbers): Uint8Array {
  const known = fields[type.typeName] ?? []
  return rewrite(encoded, (number) => {
    const field = known.includes(number) ? type.fields.find((one) => one.number === number) : undefined
    if (!field) return 'removed'
    const inner = field.message
    if (!inner) return 'kept'
    if (field.fieldKind !== 'map') return (value) => filter(value, inner, fields)
    return (entry) => rewrite(entry, (part) => (part === 2 ? (value) => filter(value, inner, fields) : 'kept'))
  })
}

/** A function replaces the bytes of a nested message. */
type FieldAction = 'kept' | 'removed' | ((value: Uint8Array) => Uint8Array)

function rewrite(encoded: Uint8Array, actionOf: (number: number) => FieldAction): Uint8Array {
  const reader = new WireReader()
  reader.bytes = encoded
  const kept: Uint8Array[] = []
  while (reader.at < encoded.length) {
    const start = reader.at
    const tag = reader.varint32()
    const valueAt = reader.at
    reader.skip(tag, encoded.length, 0)
    const end = reader.at
    if (end > encoded.length) throw new MalformedMessageError('the message is cut off')
    const action = actionOf(tag >>> 3)
    if (action === 'removed') continue
    if (action === 'kept' || (tag & 7) !== wireTypes.length) kept.push(encoded.subarray(start, end))
    else {
      reader.at = valueAt
      reader.varint32()
      const value = action(encoded.subarray(reader.at, end))
      const length = new Uint8Array(varintSize(value.length))
      writeVarint(length, 0, value.length)
      kept.push(encoded.subarray(start, valueAt), length, value)
      reader.at = end
    }
  }
  return Buffer.concat(kept)
}

import type { DescField } from '@bufbuild/protobuf'
import type { SchemaSet } from '../schema/schema-set.ts'
import { MalformedMessageError, type WireReader, wireTypes } from '../wire/wire-reader.ts'

interface FieldPlace {
  readonly start: number
  readonly end: number
}

export interface EncodedForm {
  /** Encoders write singular fields at most once, but protobuf allows more. */
  readonly hasFieldsOnce?: boolean
}

/** Finds the last occurrence of a top-level field without decoding others; `undefined` if the message is malformed. */
export function findField(
  reader: WireReader,
  number: number,
  wireType: number,
  form: EncodedForm = {},
): FieldPlace | undefined {
  try {
    return find(reader, ((number << 3) | wireType) >>> 0, form.hasFieldsOnce ?? false)
  } catch (error) {
    if (error instanceof MalformedMessageError) return undefined
    throw error
  }
}

function find(reader: WireReader, wanted: number, hasFieldsOnce: boolean): FieldPlace | undefined {
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

/** @throws {TypeError} there is no such field. */
export function requireField(schema: SchemaSet, message: string, field: string): DescField {
  const desc = schema.message(message)?.fields.find(({ name }) => name === field)
  if (!desc) throw new TypeError(`There is no field "${field}" in a message "${message}".`)
  return desc
}

import type { DescField } from '@bufbuild/protobuf'
import type { SchemaSet } from '../schema/schema-set.ts'
import { MalformedMessageError, type WireReader, wireTypes } from '../wire/wire-reader.ts'

/** Where the value of a field lies; of a length-delimited one, without its length. */
interface FieldPlace {
  readonly start: number
  readonly end: number
}

/** How a message was encoded. */
export interface EncodedForm {
  /** Whether no field that is not repeated is in it twice: encoders write none twice, but protobuf allows it. */
  readonly hasFieldsOnce?: boolean
}

/**
 * Finds the last occurrence of a top-level field in `reader.bytes`, without decoding the rest. `undefined` where the
 * message has none or is malformed.
 */
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

/**
 * A field of a message.
 *
 * @throws {TypeError} there is none.
 */
export function requireField(schema: SchemaSet, message: string, field: string): DescField {
  const desc = schema.message(message)?.fields.find(({ name }) => name === field)
  if (!desc) throw new TypeError(`There is no field "${field}" in a message "${message}".`)
  return desc
}

import type { DescField } from '@bufbuild/protobuf'
import type { SchemaSet } from '../schema/schema-set.ts'

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

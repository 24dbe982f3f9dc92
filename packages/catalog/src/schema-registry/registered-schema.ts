import { isObject } from '../system-topics/system-topics.ts'

export type SchemaType = 'PROTOBUF' | 'AVRO' | 'JSON'

export interface SchemaReference {
  /** As the schema names it: the path of a .proto import, the full name of an Avro type, the `$ref` of a JSON Schema. */
  readonly name: string
  readonly subject: string
  /** From 1. */
  readonly version: number
}

export interface SchemaDefinition {
  readonly type: SchemaType
  readonly text: string
  readonly references: readonly SchemaReference[]
}

/** As far as the registry reports it: the answer for a GUID has no id. */
export interface SchemaAnswer extends SchemaDefinition {
  readonly id?: number
  /** 32 hexadecimal digits with hyphens. Absent from registries before Confluent Platform 8.0. */
  readonly guid?: string
  readonly subject?: string
  readonly version?: number
}

/** @param invalid - Makes the error. */
export function readSchemaAnswer(body: unknown, invalid: (found: string) => Error): SchemaAnswer {
  if (!isObject(body)) throw invalid('it is not an object')
  const { schema: text, schemaType = 'AVRO', references = [], id, guid, subject, version } = body
  if (typeof text !== 'string') throw invalid('"schema" is not a string')
  if (schemaType !== 'PROTOBUF' && schemaType !== 'AVRO' && schemaType !== 'JSON')
    throw invalid('"schemaType" is none of PROTOBUF, AVRO and JSON')
  for (const [name, value] of Object.entries({ id, version }))
    if (value !== undefined && !isWhole(value)) throw invalid(`"${name}" is not a whole number above 0`)
  if (guid !== undefined && !(typeof guid === 'string' && guidForm.test(guid))) throw invalid('"guid" is not a GUID')
  if (subject !== undefined && typeof subject !== 'string') throw invalid('"subject" is not a string')
  const definition: SchemaDefinition = { type: schemaType, text, references: readReferences(references, invalid) }
  return {
    ...definition,
    ...(isWhole(id) && { id }),
    ...(guid !== undefined && { guid: guid.toLowerCase() }),
    ...(subject !== undefined && { subject }),
    ...(isWhole(version) && { version }),
  }
}

export const guidForm: RegExp = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function readReferences(references: unknown, invalid: (found: string) => Error): SchemaReference[] {
  // Karapace answers null for none.
  if (references === null) return []
  if (!Array.isArray(references)) throw invalid('"references" is not a list')
  return references.map((one: unknown) => {
    const { name, subject, version } = isObject(one) ? one : {}
    if (typeof name !== 'string' || typeof subject !== 'string' || !isWhole(version))
      throw invalid('a reference lacks its "name", "subject" or "version"')
    return { name, subject, version }
  })
}

export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

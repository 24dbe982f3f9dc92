import { type FileSchema, serializedFile } from '@headrace/catalog'
import { invalidInteger, invalidVersion, schemaNotFound, subjectNotFound, versionNotFound } from './registry-error.ts'
import { type SubjectVersion, schemaWithId, type VisibleSchemas, versionsWith } from './visible-schemas.ts'

/** The first value of each parameter. Unknown parameters are ignored, as a registry of Confluent does. */
export type RegistryQuery = Readonly<Record<string, string | undefined>>

/** @throws {RefusedError} `schema_not_found` */
export function findById(visible: VisibleSchemas, id: string, subject?: string): FileSchema {
  const schema = /^\d{1,10}$/.test(id) ? schemaWithId(visible, Number(id), subject) : undefined
  if (!schema) throw schemaNotFound(id)
  return schema
}

/** @throws {RefusedError} `schema_not_found` */
export function findByGuid({ byGuid }: VisibleSchemas, guid: string): FileSchema {
  const schema = byGuid.get(guid.toLowerCase())
  if (!schema) throw schemaNotFound(guid)
  return schema
}

/** @throws {RefusedError} `schema_not_found` */
export function findSubject({ subjects }: VisibleSchemas, subject: string): readonly (FileSchema | undefined)[] {
  const versions = subjects.get(subject)
  if (!versions) throw subjectNotFound(subject)
  return versions
}

/**
 * @param version - From 1. `latest` and `-1` are the newest.
 * @throws {RefusedError} `schema_not_found`, `invalid_schema_request`
 */
export function findVersion(visible: VisibleSchemas, subject: string, version: string): [FileSchema, SubjectVersion] {
  const isLatest = version === 'latest' || version === '-1'
  if (!isLatest && !/^0*[1-9]\d{0,9}$/.test(version)) throw invalidVersion(version)
  const versions = findSubject(visible, subject)
  const number = isLatest ? versions.length : Number(version)
  const schema = versions[number - 1]
  if (!schema) throw versionNotFound(number)
  return [schema, { subject, version: number }]
}

/** `Schema` of Confluent's API. */
export function subjectVersionAnswer(schema: FileSchema, place: SubjectVersion, format?: string): object {
  const { id, guid } = schema
  return { ...place, id, guid, ...contentAnswer(schema, format) }
}

/** `SchemaString` of Confluent's API. */
export function schemaAnswer(
  visible: VisibleSchemas,
  schema: FileSchema,
  { format, subject, fetchMaxId }: RegistryQuery,
): object {
  const places = versionsWith(visible, schema)
  const place = places.find((one) => one.subject === subject) ?? places[0]
  const ids = [...visible.byGuid.values()].map(({ id }) => id)
  return {
    ...place,
    guid: schema.guid,
    ...contentAnswer(schema, format),
    ...(fetchMaxId === 'true' && { maxId: Math.max(...ids) }),
  }
}

function contentAnswer(schema: FileSchema, format: string | undefined): object {
  const { references } = schema
  return {
    schemaType: schema.type,
    schema: schemaText(schema, format),
    ...(references.length > 0 && { references }),
  }
}

/** @param format - `serialized`: a `FileDescriptorProto` in base64. */
export function schemaText(schema: FileSchema, format: string | undefined): string {
  return format === 'serialized' ? Buffer.from(serializedFile(schema)).toString('base64') : schema.text
}

/** The part of a list that `offset` and `limit` choose; a negative limit is none. */
export function pageOf<Item>(items: readonly Item[], { offset, limit }: RegistryQuery): Item[] {
  const start = Math.max(0, integerIn('offset', offset ?? '0'))
  const count = integerIn('limit', limit ?? '-1')
  return items.slice(start, count >= 0 ? start + count : undefined)
}

function integerIn(parameter: 'offset' | 'limit', text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw invalidInteger(parameter, text)
}

import { type FileSchema, isSameSchema } from '@headrace/catalog'
import { invalidBody, schemaNotFound } from './registry-error.ts'
import type { SubjectVersion } from './visible-schemas.ts'

/**
 * The newest version of a subject that has the schema in the body of a request.
 *
 * @throws {RefusedError} `schema_not_found`, `invalid_schema_request`
 */
export function findWritten(
  versions: readonly (FileSchema | undefined)[],
  subject: string,
  body: Uint8Array | undefined,
): [FileSchema, SubjectVersion] {
  const { schema, schemaType } = parse(body)
  if (typeof schema !== 'string' || schemaType !== 'PROTOBUF') throw invalidBody()
  const index = versions.findLastIndex((version) => version && isSameSchema(version, schema))
  const found = versions[index]
  if (!found) throw schemaNotFound('of the request')
  return [found, { subject, version: index + 1 }]
}

function parse(body: Uint8Array | undefined): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(body ?? []).toString()))
  } catch {
    throw invalidBody()
  }
}

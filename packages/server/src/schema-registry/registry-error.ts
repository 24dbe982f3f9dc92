import { RefusedError } from '../errors.ts'

/** Of Confluent. Its clients send it, and expect it. */
export const registryType = 'application/vnd.schemaregistry.v1+json'

export const registryPath = '/schema-registry'

export function isRegistryPath(url: string): boolean {
  return url.startsWith(registryPath) && /^[/?]?$/.test(url.charAt(registryPath.length))
}

/** Clients of Confluent read them in addition to those of a problem document. */
export function registryMembers({ status, message }: RefusedError): Readonly<Record<string, unknown>> {
  return { error_code: status, message }
}

export function subjectNotFound(subject: string): RefusedError {
  return notFound(40401, `Subject '${subject}' not found.`)
}

export function versionNotFound(version: number): RefusedError {
  return notFound(40402, `Version ${version} not found.`)
}

export function schemaNotFound(what: string): RefusedError {
  return notFound(40403, `Schema ${what} not found`)
}

export function notConfigured(subject: string, what: 'compatibility' | 'mode'): RefusedError {
  const errorCode = what === 'mode' ? 40409 : 40408
  return notFound(errorCode, `Subject '${subject}' does not have subject-level ${what} configured`)
}

function notFound(errorCode: number, message: string): RefusedError {
  return new RefusedError('schema_not_found', message, { members: { error_code: errorCode } })
}

export function invalidVersion(version: string): RefusedError {
  return new RefusedError(
    'invalid_schema_request',
    `The specified version '${version}' is not a valid version id. Allowed values are between [1, 2^31-1] and the string "latest"`,
    { members: { error_code: 42202 } },
  )
}

export function invalidInteger(parameter: string, text: string): RefusedError {
  const found = JSON.stringify(text.slice(0, 100))
  return new RefusedError('invalid_schema_request', `"${parameter}" is ${found}, and must be a whole number.`, {
    members: { error_code: 422 },
  })
}

export function invalidBody(): RefusedError {
  return new RefusedError(
    'invalid_schema_request',
    'The body must be a JSON object with "schema", and "schemaType" must be "PROTOBUF".',
    { members: { error_code: 42201 } },
  )
}

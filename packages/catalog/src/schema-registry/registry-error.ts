import { RetryableError, UserError } from '@headrace/queue'

/** The registry does not have what was asked for. */
export class UnknownSchemaError extends UserError {
  constructor(message: string) {
    super('unknown_schema', message)
  }
}

/** It cannot be reached, does not answer in time, or fails. */
export function registryUnavailable(url: string, reason: string, cause?: unknown): RetryableError {
  return new RetryableError(
    'schema_registry_unavailable',
    `The schema registry ${url} is not available: ${reason}. Check the URL and the registry, then try again.`,
    { cause },
  )
}

export function registryRefused(url: string, reason: string): UserError {
  return new UserError('schema_registry_refused', `The schema registry ${url} refused the request: ${reason}`)
}

/** An answer that no schema registry gives, or one that contradicts another. */
export function invalidAnswer(url: string, path: string, found: string, options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_schema_registry_answer',
    `The answer of ${url} to ${path} is not one of a schema registry: ${found}. Check that the URL is the one of a ` +
      'registry with the API of Confluent, and that the schema is intact there.',
    options,
  )
}

import type { JsonSchema } from '@headrace/catalog'
import type { RefusalCode } from '../errors.ts'
import type { ParameterDefinition } from './parameter.ts'

/** One path of the gateway. Its route and its part of the OpenAPI document are made from this. */
export interface Endpoint {
  /** With its parameters in braces, e.g. `/api/v1/data/{topic}`. */
  readonly path: string
  /** `operationId` of the OpenAPI document. */
  readonly id: string
  /** One line, in Markdown. */
  readonly summary: string
  readonly description?: string
  /** `open` needs no key. The others count as a request or as a connection of the key. */
  readonly access: 'request' | 'stream' | 'open'
  readonly parameters: Readonly<Record<string, ParameterDefinition>>
  /** Request headers in addition to those of every request. */
  readonly requestHeaders?: Readonly<Record<string, HeaderDefinition>>
  /** The body of a 200; `undefined` if it never answers 200. */
  readonly answer: Answer | undefined
  /** Refusals in addition to those of every request with this access. */
  readonly refusals: readonly RefusalCode[]
}

export interface Answer {
  readonly description: string
  readonly content: Readonly<Record<string, JsonSchema>>
  readonly headers?: Readonly<Record<string, HeaderDefinition>>
}

export interface HeaderDefinition {
  readonly description: string
  readonly schema: JsonSchema
}

const everywhere: readonly RefusalCode[] = [
  'headers_too_large',
  'request_timeout',
  'malformed_request',
  'expectation_failed',
  'uri_too_long',
  'draining',
  'internal',
]

const withKey: readonly RefusalCode[] = [
  'multiple_credentials',
  'malformed_authorization',
  'wrong_environment',
  'invalid_key',
  'origin_not_allowed',
  'rate_limited',
]

export function refusalsOf({ access, refusals }: Endpoint): readonly RefusalCode[] {
  if (access === 'open') return [...everywhere, ...refusals]
  const streams: readonly RefusalCode[] = access === 'stream' ? ['missing_key', 'connection_limit'] : []
  return [...everywhere, ...withKey, ...streams, ...refusals]
}

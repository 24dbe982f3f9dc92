import type { JsonSchema } from '@headrace/catalog'
import type { RefusalCode } from '../errors.ts'
import type { ParameterDefinition } from './parameter.ts'

/** Defines an endpoint: its route and its part of the OpenAPI document are made from this. */
export interface Endpoint {
  /** The path with its parameters in braces, e.g. `/api/v1/data/{topic}`. */
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** Default `GET`, which includes `HEAD`. */
  readonly method?: 'POST'
  /**
   * `key` needs an API key and takes no token, and `open` needs neither. `tools` is `request` with 401 without a key.
   * `registry` is `tools` that takes HTTP Basic too, and answers errors as a schema registry.
   */
  readonly access: 'request' | 'tools' | 'registry' | 'stream' | 'key' | 'open'
  readonly parameters: Readonly<Record<string, ParameterDefinition>>
  readonly body?: JsonSchema
  readonly requestHeaders?: Readonly<Record<string, HeaderDefinition>>
  readonly answer: Answer | undefined
  readonly refusals: readonly RefusalCode[]
  readonly protocolErrors?: ProtocolErrors
}

/** Errors of a protocol over HTTP, which are no problem documents. */
export interface ProtocolErrors {
  readonly statuses: readonly number[]
  readonly description: string
  readonly schema: JsonSchema
}

export interface Answer {
  /** Default 200. */
  readonly status?: number
  /** In Markdown: when the answer is 304 instead, with the same headers. */
  readonly notModified?: string
  readonly description: string
  readonly content: Readonly<Record<string, JsonSchema>>
  readonly headers?: Readonly<Record<string, HeaderDefinition>>
}

export function json(description: string, schema: JsonSchema): Answer {
  return { description, content: { 'application/json': schema } }
}

/** An endpoint that needs no key, reads no parameters and is never refused for its own reasons. */
export function openEndpoint(endpoint: Pick<Endpoint, 'path' | 'id' | 'summary' | 'answer'>): Endpoint {
  return { ...endpoint, access: 'open', parameters: {}, refusals: [] }
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

const bodyRefusals: readonly RefusalCode[] = ['body_too_large']

const ofTokens: readonly RefusalCode[] = ['invalid_token', 'token_expired']

const withKey: readonly RefusalCode[] = [
  'multiple_credentials',
  'malformed_authorization',
  'wrong_environment',
  'invalid_key',
  ...ofTokens,
  'origin_not_allowed',
  'rate_limited',
  'quota_exceeded',
]

/** The refusals of an endpoint that reads the records of topics. */
export const readRefusals: readonly RefusalCode[] = [
  'topic_forbidden',
  'invalid_parameter',
  'invalid_cursor',
  'topic_not_found',
  'invalid_filter',
  'position_unavailable',
  'overloaded',
]

const ofAccess: Readonly<Record<Endpoint['access'], readonly RefusalCode[]>> = {
  open: [],
  request: withKey,
  tools: [...withKey, 'missing_key'],
  registry: [...withKey, 'missing_key'],
  stream: [...withKey, 'missing_key', 'connection_limit'],
  key: [...withKey.filter((code) => !ofTokens.includes(code)), 'missing_key'],
}

export function refusalsOf({ access, body, refusals }: Endpoint): readonly RefusalCode[] {
  return [...everywhere, ...(body ? bodyRefusals : []), ...ofAccess[access], ...refusals]
}

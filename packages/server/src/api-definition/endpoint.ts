import type { JsonSchema } from '@headrace/catalog'
import type { RefusalCode } from '../errors.ts'
import type { Parameter } from './parameter.ts'

/** What can be asked for under one path: its route is added by it, and the OpenAPI document made from it. */
export interface Endpoint {
  /** With its parameters in braces, e.g. `/api/v1/data/{topic}`. */
  readonly path: string
  /** Names it in clients that are made from the document. */
  readonly id: string
  /** One line, in Markdown. */
  readonly summary: string
  readonly description?: string
  /** Whether it needs a key, and as what it is counted then. */
  readonly access: 'request' | 'stream' | 'open'
  readonly parameters: Readonly<Record<string, Parameter>>
  /** Request headers that mean something here, beyond those of every request. */
  readonly requestHeaders?: Readonly<Record<string, HeaderDefinition>>
  /** What a 200 holds; `undefined` where there is none. */
  readonly answer: Answer | undefined
  /** What it is refused with, beyond what every request of this access is. */
  readonly refusals: readonly RefusalCode[]
}

export interface Answer {
  readonly description: string
  /** By media type. */
  readonly content: Readonly<Record<string, JsonSchema>>
  readonly headers?: Readonly<Record<string, HeaderDefinition>>
}

export interface HeaderDefinition {
  readonly description: string
  readonly schema: JsonSchema
}

/** What any request can be refused with. */
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

/** Everything that a GET of an endpoint can be refused with. */
export function refusalsOf({ access, refusals }: Endpoint): readonly RefusalCode[] {
  if (access === 'open') return [...everywhere, ...refusals]
  const streams: readonly RefusalCode[] = access === 'stream' ? ['missing_key', 'connection_limit'] : []
  return [...everywhere, ...withKey, ...streams, ...refusals]
}

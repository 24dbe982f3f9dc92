import type { JsonSchema } from '@headrace/catalog'
import { type Endpoint, type HeaderDefinition, type ProtocolErrors, refusalsOf } from '../api-definition/endpoint.ts'
import { ref, schemas } from '../api-definition/schemas.ts'
import { type RefusalCode, refusals } from '../errors.ts'
import { problemType } from '../rest/problem.ts'
import { registryType } from '../schema-registry/registry-error.ts'
import { apiInfo } from './api-info.ts'

export interface OpenApiOptions {
  readonly contact: string | undefined
  /** Whether some topics need no key. */
  readonly isKeyless: boolean
}

export function openApiDocument(endpoints: readonly Endpoint[], options: OpenApiOptions): JsonSchema {
  return {
    openapi: '3.1.1',
    info: apiInfo(
      'History of topics over REST, and live data as Server-Sent Events. `/api/v1/asyncapi.json` describes WebSocket, ' +
        'and the events. Every path that answers `GET` answers `HEAD` too.',
      options.contact,
    ),
    servers: [{ url: '/', description: 'This gateway.' }],
    paths: Object.fromEntries(
      endpoints.map((endpoint) => [
        endpoint.path,
        { [endpoint.method === 'POST' ? 'post' : 'get']: operation(endpoint, options) },
      ]),
    ),
    components: { schemas, securitySchemes: { ...securitySchemes('apiKey'), basic } },
  }
}

function operation(endpoint: Endpoint, { isKeyless }: OpenApiOptions): JsonSchema {
  const { path, id, summary, description, access, parameters, body, requestHeaders = {} } = endpoint
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    // An empty requirement makes the others optional.
    security: [...security[access], ...(isKeyless && allowsNoKey(endpoint) ? [{}] : [])],
    parameters: [
      ...Array.from(path.matchAll(/{(\w+)}/g), ([, name]) => {
        return { name, in: 'path', required: true, schema: name === 'topic' ? ref('TopicName') : { type: 'string' } }
      }),
      ...Object.entries(parameters).map(([name, { required = false, description, schema }]) => {
        return { name, in: 'query', required, description, schema }
      }),
      ...Object.entries(requestHeaders).map(([name, header]) => ({ name, in: 'header', ...header })),
    ],
    ...(body && { requestBody: { content: { 'application/json': { schema: body } } } }),
    responses: responses(endpoint),
  }
}

const security: Readonly<Record<Endpoint['access'], readonly JsonSchema[]>> = {
  open: [],
  request: [{ bearer: [] }, { parameter: [] }],
  tools: [{ bearer: [] }, { parameter: [] }],
  registry: [{ bearer: [] }, { basic: [] }, { parameter: [] }],
  stream: [{ bearer: [] }, { parameter: [] }],
  key: [{ bearer: [] }],
}

function allowsNoKey({ access, refusals }: Endpoint): boolean {
  return ['tools', 'registry'].includes(access) || (access === 'request' && !refusals.includes('missing_key'))
}

function responses(endpoint: Endpoint): JsonSchema {
  const byStatus = Map.groupBy(refusalsOf(endpoint), (code) => refusals[code].status)
  const refused = [...byStatus].map(([status, codes]) => [status, refusal(codes, endpoint)] as const)
  const described = new Map([...answers(endpoint), ...refused])
  const { protocolErrors } = endpoint
  for (const status of protocolErrors?.statuses ?? [])
    described.set(status, withProtocolError(described.get(status), protocolErrors!))
  // JavaScript sorts the integer keys of an object.
  return Object.fromEntries(described)
}

function withProtocolError(
  response: JsonSchema = { description: '', headers: { ...requestId, ...rateHeaders } },
  { description, schema }: ProtocolErrors,
): JsonSchema {
  const text = [response.description, description].filter((part) => part !== '').join('\n\n')
  return {
    ...response,
    description: text,
    content: { ...(response.content as object), 'application/json': { schema } },
  }
}

function answers({ answer, access }: Endpoint): [number, JsonSchema][] {
  if (!answer) return []
  const { status = 200, description, content, notModified } = answer
  const always = access === 'open' ? requestId : { ...requestId, ...rateHeaders }
  const headers = { ...always, ...answer.headers }
  const types = Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))
  const answered: JsonSchema = { description, headers, ...(status !== 204 && { content: types }) }
  return [
    [status, answered],
    ...(notModified ? [[304, { description: notModified, headers }] as [number, JsonSchema]] : []),
  ]
}

function refusal(codes: readonly RefusalCode[], { access }: Endpoint): JsonSchema {
  const meanings = codes.map((code) => `- \`${code}\`: ${refusals[code].meaning}`)
  const schema = { allOf: [ref('Problem'), { type: 'object', properties: { code: { enum: codes } } }] }
  const isRated = access !== 'open' && codes.includes('rate_limited')
  const isTemporary = codes.some((code) => temporary.includes(code))
  return {
    description: meanings.join('\n'),
    headers: { ...requestId, ...(isRated && rateHeaders), ...(isTemporary && retryAfter) },
    content: { [access === 'registry' ? registryType : problemType]: { schema } },
  }
}

const temporary: readonly RefusalCode[] = ['rate_limited', 'quota_exceeded', 'connection_limit', 'overloaded']

type Headers = Readonly<Record<string, HeaderDefinition>>

const requestId: Headers = {
  'X-Request-Id': { description: 'Names the request in the log.', schema: { type: 'string' } },
}
const rateHeaders: Headers = {
  'RateLimit-Policy': {
    description:
      'How many requests are allowed at once (`q`), and in how many seconds they are all available again (`w`).',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'How many of them are left (`r`), and in how many seconds all are available again (`t`).',
    schema: { type: 'string' },
  },
}
const retryAfter: Headers = {
  'Retry-After': {
    description: 'Seconds after which to retry. Absent if waiting does not help.',
    schema: { type: 'integer', minimum: 0 },
  },
}

const basic: JsonSchema = {
  ...{ type: 'http', scheme: 'basic' },
  description: 'The API key as the user or the password, for clients of schema registries.',
}

/** The two formats have different types for a key in the query. */
export function securitySchemes(keyType: 'apiKey' | 'httpApiKey'): JsonSchema {
  return {
    bearer: {
      ...{ type: 'http', scheme: 'bearer' },
      description: 'An API key, `hr_live_…` or `hr_test_…`; or a token: a JSON Web Token that such a key signs.',
    },
    parameter: { type: keyType, in: 'query', name: 'api_key', description: 'The same. Do not send both.' },
  }
}

import type { JsonSchema } from '@headrace/catalog'
import { checkFilterSyntax } from '@headrace/catalog'
import type { FastifyInstance } from 'fastify'
import { SignJWT } from 'jose'
import { credentialOf } from '../access/credentials.ts'
import type { ApiKey } from '../access/keys/api-key.ts'
import {
  audienceOf,
  faultOfRights,
  longestToken,
  type TokenRights,
  tokenLimits,
} from '../access/tokens/token-claims.ts'
import { deriveTokenKey, keyIdOf } from '../access/tokens/token-key.ts'
import { type Endpoint, json } from '../api-definition/endpoint.ts'
import { checkNames, invalid } from '../api-definition/parameter.ts'
import { ref } from '../api-definition/schemas.ts'
import { route } from './app.ts'

interface TokenRequest extends TokenRights {
  /** In seconds. */
  readonly expiresIn?: number
}

const defaultExpiresIn = 900

export function addTokenRoute(app: FastifyInstance): void {
  route(app, tokensEndpoint, async (request, _reply, { key }) => {
    if (request.query.api_key !== undefined)
      throw invalid('api_key', 'Send the API key in the Authorization header: addresses are written to logs.')
    checkNames(request.query, tokensEndpoint.parameters)
    return createToken(credentialOf(request.raw, {})!, key, readBody(request.body as Buffer | undefined))
  })
}

async function createToken(
  apiKey: string,
  { environment }: ApiKey,
  { expiresIn = defaultExpiresIn, ...rights }: TokenRequest,
): Promise<Record<string, string>> {
  const { privateKey, publicKey } = deriveTokenKey(apiKey)
  const now = Math.floor(Date.now() / 1000)
  const expires = now + expiresIn
  const token = await new SignJWT({ ...rights, aud: audienceOf(environment), iat: now, exp: expires })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: keyIdOf(publicKey) })
    .sign(privateKey)
  if (token.length > tokenLimits.token)
    throw invalid(
      'filter',
      `The token would have ${token.length} characters; at most ${tokenLimits.token} are allowed.`,
    )
  return { token, expires: new Date(expires * 1000).toISOString() }
}

function readBody(body: Buffer | undefined): TokenRequest {
  const given = body === undefined || body.length === 0 ? {} : parse(body)
  const { expiresIn } = given
  const names = Object.keys(tokenRequest.properties)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) throw invalid(unknown, `This member is unknown. Allowed: ${names.join(', ')}.`)
  if (expiresIn !== undefined && !isPeriod(expiresIn))
    throw invalid('expiresIn', `expiresIn must be a whole number of seconds from 1 to ${longestToken}.`)
  const fault = faultOfRights(given)
  if (fault) throw invalid(fault.claim, fault.message)
  if (typeof given.filter === 'string') checkFilterSyntax(given.filter)
  return given
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw invalid('body', 'The body must be a JSON object.')
}

function isPeriod(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= longestToken
}

interface TokenMember extends JsonSchema {
  readonly description: string
  readonly default?: number
}

export const tokenRequest: JsonSchema & { readonly properties: Readonly<Record<string, TokenMember>> } = {
  type: 'object',
  additionalProperties: false,
  properties: {
    expiresIn: {
      ...{ type: 'integer', minimum: 1, maximum: longestToken, default: defaultExpiresIn },
      description: `seconds until the token expires, 1 to ${longestToken}`,
    },
    topics: {
      ...{ type: 'array', minItems: 1, maxItems: tokenLimits.topics },
      items: { type: 'string', pattern: '^[A-Za-z0-9._*-]{1,249}$' },
      description: 'topics that the token may read, of those of the key; `*` matches any characters',
    },
    filter: {
      ...{ type: 'string', minLength: 1, maxLength: tokenLimits.filter },
      description: 'only records that match this filter may be read',
    },
    origin: {
      ...{ type: 'string', minLength: 1, maxLength: tokenLimits.origin },
      description: 'origin of the only pages that may use the token',
    },
  },
}

export const tokensEndpoint: Endpoint = {
  path: '/api/v1/tokens',
  method: 'POST',
  id: 'createToken',
  summary: 'Creates a token for browsers',
  description: 'A backend can also create tokens itself, without a request.',
  access: 'key',
  parameters: {},
  body: tokenRequest,
  answer: json('The token.', ref('Token')),
  refusals: ['invalid_parameter', 'invalid_filter'],
}

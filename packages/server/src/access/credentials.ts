import type { IncomingMessage } from 'node:http'
import { RefusedError } from '../errors.ts'
import type { Query } from '../rest/query.ts'
import { headerValues } from '../rest/request-head.ts'
import { keyEnvironment } from './keys/key-format.ts'

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

const basic = /^Basic +([A-Za-z0-9+/]+=*) *$/i

interface CredentialOptions {
  /** Whether the key may be the user or the password of HTTP Basic (RFC 7617): some clients send nothing else. */
  readonly isBasicAllowed?: boolean
}

/**
 * The key from `Authorization: Bearer` (RFC 6750) or the query.
 *
 * @throws {RefusedError} `multiple_credentials`, `malformed_authorization`
 */
export function credentialOf(
  request: IncomingMessage,
  query: Query,
  { isBasicAllowed = false }: CredentialOptions = {},
): string | undefined {
  const authorization = headerValues(request, 'authorization')
  const sent = [...authorization, ...[query.api_key ?? []].flat()]
  if (sent.length > 1)
    throw new RefusedError('multiple_credentials', 'Send the key once: in the Authorization header, or as api_key.')
  if (authorization.length === 0) return sent[0]
  const token = bearer.exec(sent[0]!)?.[1] ?? (isBasicAllowed ? keyInBasic(sent[0]!) : undefined)
  if (token === undefined)
    throw new RefusedError('malformed_authorization', 'The Authorization header must read "Bearer <API_KEY>".', {
      headers: { 'www-authenticate': 'Bearer error="invalid_request"' },
    })
  return token
}

/** The one that looks like a key, else the password. */
function keyInBasic(authorization: string): string | undefined {
  const encoded = basic.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())!
  return keyEnvironment(user) !== undefined || password === '' ? user : password
}

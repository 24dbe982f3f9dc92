import type { IncomingMessage } from 'node:http'
import { RefusedError } from '../errors.ts'
import type { Query } from '../rest/query.ts'

export interface Caller {
  readonly authorization: readonly string[]
  readonly origin: string | undefined
  readonly query: Query
}

export function callerOf({ headers, rawHeaders }: IncomingMessage, query: Query): Caller {
  const authorization: string[] = []
  // `headers` has only the first of several Authorization headers.
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (isAuthorization(rawHeaders[at]!)) authorization.push(rawHeaders[at + 1]!)
  return { authorization, origin: headers.origin, query }
}

function isAuthorization(name: string): boolean {
  return name.length === 'authorization'.length && name.toLowerCase() === 'authorization'
}

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/**
 * The key from `Authorization: Bearer` (RFC 6750) or the query.
 *
 * @throws {RefusedError} `multiple_credentials`, `malformed_authorization`
 */
export function credentialOf({ authorization, query }: Caller): string | undefined {
  const sent = [...authorization, ...[query.api_key ?? []].flat()]
  if (sent.length > 1)
    throw new RefusedError('multiple_credentials', 'Send the key once: in the Authorization header, or as api_key.')
  if (authorization.length === 0) return sent[0]
  const token = bearer.exec(sent[0]!)?.[1]
  if (token === undefined)
    throw new RefusedError('malformed_authorization', 'The Authorization header must read "Bearer <API_KEY>".', {
      headers: { 'www-authenticate': 'Bearer error="invalid_request"' },
    })
  return token
}

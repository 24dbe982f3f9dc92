import type { IncomingMessage } from 'node:http'
import { RefusedError } from '../errors.ts'
import type { Query } from '../rest/query.ts'
import { headerValues } from '../rest/request-head.ts'

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/**
 * The key from `Authorization: Bearer` (RFC 6750) or the query.
 *
 * @throws {RefusedError} `multiple_credentials`, `malformed_authorization`
 */
export function credentialOf(request: IncomingMessage, query: Query): string | undefined {
  const authorization = headerValues(request, 'authorization')
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

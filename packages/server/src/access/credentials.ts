import { RefusedError } from '../errors.ts'

/** What of a request bears on who may make it. The same for all protocols. */
export interface Caller {
  readonly authorization: string | undefined
  readonly origin: string | undefined
  readonly query: Readonly<Record<string, string | string[] | undefined>>
}

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/**
 * The key a request carries, in `Authorization: Bearer` (RFC 6750) or in the query parameter `api_key`.
 *
 * @throws {RefusedError} `multiple_credentials`, `malformed_authorization`
 */
export function credentialOf({ authorization, query }: Caller): string | undefined {
  const parameter = query.api_key
  if (Array.isArray(parameter) || (parameter !== undefined && authorization !== undefined))
    throw new RefusedError('multiple_credentials', 'Send the key once: in the Authorization header, or as api_key.')
  if (authorization === undefined) return parameter
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined)
    throw new RefusedError('malformed_authorization', 'The Authorization header must read "Bearer <API_KEY>".', {
      headers: { 'www-authenticate': 'Bearer error="invalid_request"' },
    })
  return token
}

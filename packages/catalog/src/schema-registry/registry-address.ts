import { UserError } from '@headrace/queue'

export interface RegistryAddress {
  /** Without credentials, and without a slash at the end. For requests and messages. */
  readonly url: string
  /** The value of the header `authorization`. */
  readonly authorization?: string
}

/**
 * @param text - `https://[user:password@]host[:port][/path]`. The characters of user and password may be
 *   percent-encoded.
 * @param token - A bearer token, instead of user and password.
 * @throws {UserError} `invalid_schema_registry_url`. The message does not contain the text, which may hold a password.
 */
export function parseRegistryUrl(text: string, token?: string): RegistryAddress {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidUrl('it is not one of http: or https:')
  if (url.search || url.hash) throw invalidUrl('it has a query or a fragment')
  const plain = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  const hasUser = url.username !== '' || url.password !== ''
  if (token !== undefined && hasUser) throw invalidUrl('it has a user, and there is a token as well')
  if (token !== undefined) return { url: plain, authorization: `Bearer ${checkToken(token)}` }
  if (!hasUser) return { url: plain }
  const credentials = `${decodeUserinfo(url.username)}:${decodeUserinfo(url.password)}`
  return { url: plain, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

function decodeUserinfo(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidUrl('a "%" in its user or password is not followed by two hexadecimal digits. Write "%" as "%25"')
  }
}

/** RFC 9110, section 5.5: a header holds no line breaks. */
function checkToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new UserError(
    'invalid_schema_registry_url',
    'The bearer token of the schema registry is empty, or has characters other than visible ASCII. Correct it.',
  )
}

function invalidUrl(found: string): UserError {
  return new UserError(
    'invalid_schema_registry_url',
    `The URL of the schema registry is invalid: ${found}. Allowed is https://[user:password@]host[:port][/path].`,
  )
}

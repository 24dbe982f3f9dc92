import type { ApiKey } from '../keys/api-key.ts'
import type { KeyDirectory } from '../keys/key-directory.ts'
import type { Environment } from '../keys/key-format.ts'

/** What is wrong with an origin that is to be registered for a key, in words; `undefined` when it may be. */
export function checkOrigin(origin: string, environment: Environment): string | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  const local = url?.protocol === 'http:' && url.hostname === 'localhost'
  if (url?.origin === origin && (url.protocol === 'https:' || (local && environment === 'development')))
    return undefined
  if (local && url.origin === origin) return `"${origin}" can be registered for development keys only.`
  const meant = url?.protocol === 'https:' ? ` Did you mean "${url.origin}"?` : ''
  return (
    `"${origin}" is no origin that can be registered. Allowed is what browsers send: https://, host in lower case, a port ` +
    `where it is not 443, nothing after it; for development keys http://localhost or http://localhost:PORT, too.${meant}`
  )
}

/** Whether a key may be used by a request with this `Origin` header. Compared byte for byte. */
export function allowsOrigin(key: ApiKey, origin: string | undefined): boolean {
  if (origin === undefined) return !key.requireOrigin
  return key.origins.length === 0 || key.origins.includes(origin)
}

/** Headers that let a script of this origin read the answer (Fetch standard, "CORS protocol"), if it may. */
export function corsHeaders(keys: KeyDirectory, origin: string | undefined): Record<string, string> {
  return origin !== undefined && keys.hasOrigin(origin) ? readableBy(origin) : notReadable
}

const notReadable = { vary: 'Origin' }

/** The same for an origin that is known to be allowed. */
export function readableBy(origin: string): Record<string, string> {
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Headrace-End-Cursor',
  }
}

/** The rest of the answer to a preflight. It carries no key: the origin being registered to any key is enough. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'Authorization, Cache-Control, Last-Event-ID',
  'access-control-max-age': '600',
}

import type { ApiKey } from '../keys/api-key.ts'
import type { KeyDirectory } from '../keys/key-directory.ts'
import type { Environment } from '../keys/key-format.ts'

export function checkOrigin(origin: string, environment: Environment): string | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  const local = url?.protocol === 'http:' && url.hostname === 'localhost'
  if (url?.origin === origin && (url.protocol === 'https:' || (local && environment === 'development')))
    return undefined
  if (local && url.origin === origin) return `"${origin}" can be registered for development keys only.`
  const suggestion = url?.protocol === 'https:' ? ` Did you mean "${url.origin}"?` : ''
  return (
    `"${origin}" cannot be registered as an origin. Use the form that browsers send: https://, the host in lower case, the port ` +
    `unless it is 443, and nothing after it. Development keys also allow http://localhost and http://localhost:PORT.${suggestion}`
  )
}

/** Compares bytes. */
export function allowsOrigin(key: ApiKey, origin: string | undefined): boolean {
  if (origin === undefined) return !key.requireOrigin
  return key.origins.length === 0 || key.origins.includes(origin)
}

/** Let a script of this origin read the response (Fetch standard, "CORS protocol"), if a key allows it. */
export function corsHeaders(keys: KeyDirectory, origin: string | undefined): Record<string, string> {
  return origin !== undefined && keys.hasOrigin(origin) ? readableBy(origin) : notReadable
}

const notReadable = { vary: 'Origin' }

export function readableBy(origin: string): Record<string, string> {
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Headrace-End-Cursor',
  }
}

/** A preflight has no key, so any registered origin is allowed. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'Authorization, Cache-Control, If-None-Match, Last-Event-ID',
  'access-control-max-age': '600',
}

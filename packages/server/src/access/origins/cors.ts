import type { KeyDirectory } from '../keys/key-directory.ts'

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

import type { ApiKey } from '../keys/api-key.ts'
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

import { InvalidRpcUrlError, InvalidWsUrlError } from '../errors.ts'

/** Only `name` may be shown. */
export interface EndpointUrl {
  /** Scheme, host and port. */
  readonly name: string
  readonly path: string
  /** For a user and password in the URL. */
  readonly authorization: string | undefined
  /** Replaces all that could be a key of this URL. */
  redact(text: string): string
}

/**
 * @param place Position of the URL in the setting, from 1.
 * @throws {InvalidRpcUrlError}
 */
export function parseEndpointUrl(text: string, place: number): EndpointUrl {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new InvalidRpcUrlError(place)
  const [user, password] = [decodePart(url.username, place), decodePart(url.password, place)]
  const parts = [user, password, ...url.pathname.split('/'), ...url.searchParams.values()]
  // Shorter parts are no keys.
  const secrets = parts.filter(({ length }) => length >= 8)
  return {
    name: url.origin,
    path: `${url.pathname}${url.search}`,
    authorization: user || password ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : undefined,
    redact: (message) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), message),
  }
}

/**
 * Only its `origin` may be shown.
 * @throws {InvalidWsUrlError}
 */
export function parseWsUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'ws:' && url.protocol !== 'wss:')) throw new InvalidWsUrlError()
  if (url.href.includes('#'))
    throw new InvalidWsUrlError('has a part after #, which is never sent to a server. Remove it')
  return url
}

function decodePart(text: string, place: number): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new InvalidRpcUrlError(place, 'has a % in its user or password that is not an encoded byte. Write it as %25')
  }
}

import { InvalidOptionError, UnavailableError } from '../errors.ts'
import type { ClientOptions } from '../options.ts'
import { responseError } from './service-errors.ts'

/** The service as it is spoken to: addresses and the key. */
export interface Service {
  /**
   * Sends a GET.
   *
   * @param path - Below the address of the service, with a slash before it.
   * @param query - Parameters by name. Those that have no value are left out.
   * @returns The answer, if its status is 200.
   * @throws {ClientError} for every other one, and where none comes. The signal's reason, once there is one.
   */
  get(path: string, query: Readonly<Record<string, string | undefined>>, signal: AbortSignal): Promise<Response>
  /** Opens a socket. Whether that worked is told by its events. */
  openSocket(): WebSocket
}

/** What a header holds without a doubt (RFC 9110, section 5.5). Errors of `fetch` for all else tell the header. */
const visibleAscii = /^[\x21-\x7e]+$/

/** @throws {InvalidOptionError} */
export function createService({ url, streamUrl = url, apiKey, origin }: ClientOptions): Service {
  const bases = { rest: readBase('url', url), stream: readBase('streamUrl', streamUrl) }
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new InvalidOptionError('apiKey is missing. Pass a key like "hr_live_…".')
  if (!visibleAscii.test(apiKey))
    throw new InvalidOptionError(
      'apiKey has a space, a line end or another character that no key has. Pass it as it was made.',
    )
  if (origin !== undefined && !visibleAscii.test(origin))
    throw new InvalidOptionError('origin is not a URL like "https://example.com".')
  const headers: Record<string, string> = inBrowser() ? {} : { authorization: `Bearer ${apiKey}` }
  if (origin !== undefined && !inBrowser()) headers.origin = origin
  const credentials: Record<string, string> = inBrowser() ? { api_key: apiKey } : {}

  return {
    async get(path, query, signal) {
      const base = path.startsWith('/api/') ? bases.rest : bases.stream
      const parameters = Object.entries({ ...query, ...credentials }).filter(
        (entry): entry is [string, string] => !!entry[1],
      )
      const target = `${base}${path}?${new URLSearchParams(parameters)}`
      const response = await fetch(target, { headers, signal, cache: 'no-store', credentials: 'omit' }).catch(
        (error) => {
          signal.throwIfAborted()
          throw new UnavailableError('service_unavailable', `There is no answer from ${new URL(base).host}.`, {
            cause: error,
          })
        },
      )
      if (response.status === 200) return response
      throw await responseError(response, signal)
    },
    openSocket() {
      const target = `${bases.stream.replace(/^http/, 'ws')}/ws/v1?${new URLSearchParams(credentials)}`
      if (inBrowser()) return new WebSocket(target)
      return new (WebSocket as unknown as SocketWithHeaders)(target, { headers })
    },
  }
}

/** The WebSocket of Node takes headers. */
type SocketWithHeaders = new (url: string, options: { headers: Record<string, string> }) => WebSocket

function readBase(name: string, url: string): string {
  const { protocol, origin, pathname, search, hash } = URL.parse(url) ?? {}
  if ((protocol !== 'http:' && protocol !== 'https:') || search || hash)
    throw new InvalidOptionError(`${name} is not an address like "https://data.example.com".`)
  return `${origin}${pathname?.replace(/\/+$/, '')}`
}

/** Whether this runs in a page or in a worker of one: there, a socket takes no headers, and fetch asks before it sends some. */
export function inBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis
}

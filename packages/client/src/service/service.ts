import { InvalidOptionError, UnavailableError } from '../errors.ts'
import type { ClientOptions, Settings } from '../options.ts'
import { responseError } from './service-errors.ts'

export interface Service {
  /**
   * Omits parameters without a value.
   *
   * @throws {ClientError} the response has another status than 200, or there is none. The reason of the signal, if it
   *   is aborted.
   */
  get(path: string, query: Readonly<Record<string, string | undefined>>, signal: AbortSignal): Promise<Response>
  openSocket(): WebSocket
}

export interface ClientContext extends Settings {
  readonly service: Service
}

/** RFC 9110, section 5.5. For other characters, the error of `fetch` would show the key. */
const visibleAscii = /^[\x21-\x7e]+$/

export function createService({ url, streamUrl = url, apiKey, origin }: ClientOptions): Service {
  const bases = { rest: readBase('url', url), stream: readBase('streamUrl', streamUrl) }
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new InvalidOptionError('apiKey is missing. Pass a key like "hr_live_…".')
  if (!visibleAscii.test(apiKey))
    throw new InvalidOptionError(
      'apiKey holds a space, a line end or another character that keys do not have. Pass it as it was created.',
    )
  if (origin !== undefined && !visibleAscii.test(origin))
    throw new InvalidOptionError('origin is not a URL like "https://example.com".')
  const sent = { authorization: `Bearer ${apiKey}`, ...(origin !== undefined && { origin }) }
  const headers: Record<string, string> = inBrowser() ? {} : sent
  const credentials: Record<string, string> = inBrowser() ? { api_key: apiKey } : {}

  return {
    async get(path, query, signal) {
      const base = path.startsWith('/api/') ? bases.rest : bases.stream
      const parameters = new URLSearchParams()
      for (const [name, value] of Object.entries({ ...query, ...credentials })) if (value) parameters.set(name, value)
      const target = `${base}${path}?${parameters}`
      const init = { headers, signal, cache: 'no-store', credentials: 'omit' } as const
      const response = await fetch(target, init).catch((error) => {
        signal.throwIfAborted()
        throw new UnavailableError('service_unavailable', `${new URL(base).host} does not answer.`, { cause: error })
      })
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

type SocketWithHeaders = new (url: string, options: { headers: Record<string, string> }) => WebSocket

function readBase(name: string, url: string): string {
  const { protocol, origin, pathname, search, hash } = URL.parse(url) ?? {}
  if ((protocol !== 'http:' && protocol !== 'https:') || search || hash)
    throw new InvalidOptionError(`${name} is not an address like "https://data.example.com".`)
  return `${origin}${pathname?.replace(/\/+$/, '')}`
}

/** In a page or its worker, sockets cannot send headers, and `fetch` with headers needs a preflight. */
export function inBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis
}

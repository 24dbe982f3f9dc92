import { InvalidOptionError, RefusedError, UnavailableError } from '../errors.ts'
import type { ClientOptions, Settings } from '../options.ts'
import { type Credential, type Credentials, createCredentials, refusesCredential, visibleAscii } from './credentials.ts'
import { responseError } from './service-errors.ts'

export interface Service {
  /**
   * Omits parameters without a value. A token that the gateway refuses is renewed once.
   *
   * @throws {ClientError} the response has another status than 200, or there is none. The reason of the signal, if it
   *   is aborted.
   */
  get(path: string, query: Readonly<Record<string, string | undefined>>, signal: AbortSignal): Promise<Response>
  openSocket(credential: Credential): WebSocket
  readonly credentials: Credentials
}

export interface ClientContext extends Settings {
  readonly service: Service
}

export function createService({ url, streamUrl = url, origin, ...options }: ClientOptions): Service {
  const bases = { rest: readBase('url', url), stream: readBase('streamUrl', streamUrl) }
  const credentials = createCredentials(options)
  if (origin !== undefined && !visibleAscii.test(origin))
    throw new InvalidOptionError('origin is not a URL like "https://example.com".')

  return {
    credentials,
    async get(path, query, signal) {
      const credential = await credentials.current(signal)
      try {
        return await get(path, query, { credential, signal })
      } catch (error) {
        if (!refusesCredential(error) || !credentials.replace(credential)) throw error
      }
      return get(path, query, { credential: await credentials.current(signal), signal }).catch((error) => {
        throw withTokenHint(error)
      })
    },
    openSocket(credential) {
      const { headers, parameters } = sent(credential, inBrowser())
      const target = `${bases.stream.replace(/^http/, 'ws')}/ws/v1?${new URLSearchParams(parameters)}`
      if (inBrowser()) return new WebSocket(target)
      return new (WebSocket as unknown as SocketWithHeaders)(target, { headers })
    },
  }

  async function get(
    path: string,
    query: Readonly<Record<string, string | undefined>>,
    { credential, signal }: { readonly credential: Credential; readonly signal: AbortSignal },
  ): Promise<Response> {
    const base = path.startsWith('/api/') ? bases.rest : bases.stream
    const { headers, parameters: ofCredential } = sent(credential, inBrowser() && !isOwnOrigin(base))
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, ...ofCredential })) if (value) parameters.set(name, value)
    const target = `${base}${path}?${parameters}`
    // On one machine, compression costs more than it saves.
    const coding = loopback.test(new URL(base).hostname) && { 'accept-encoding': 'identity' }
    const init = { headers: { ...headers, ...coding }, signal, cache: 'no-store', credentials: 'omit' } as const
    const response = await fetch(target, init).catch((error) => {
      signal.throwIfAborted()
      throw new UnavailableError('service_unavailable', `${new URL(base).host} does not answer.`, { cause: error })
    })
    if (response.status === 200) return response
    throw await responseError(response, signal)
  }

  function sent(
    { value }: Credential,
    asParameter: boolean,
  ): Readonly<Record<'headers' | 'parameters', Record<string, string>>> {
    if (asParameter) return { headers: {}, parameters: { api_key: value } }
    return { headers: { authorization: `Bearer ${value}`, ...(origin !== undefined && { origin }) }, parameters: {} }
  }
}

const loopback = /^(localhost|127\..*|\[::1\])$/

/** The error of a token that was just created. */
function withTokenHint(error: unknown): unknown {
  if (!(error instanceof RefusedError) || error.code !== 'token_expired') return error
  const message = 'The function "token" returned a token that has expired. It must return a new one each time.'
  return new RefusedError(error.code, message, error)
}

type SocketWithHeaders = new (url: string, options: { headers: Record<string, string> }) => WebSocket

function readBase(name: string, url: string): string {
  const { protocol, origin, pathname, search, hash } = URL.parse(url) ?? {}
  if ((protocol !== 'http:' && protocol !== 'https:') || search || hash)
    throw new InvalidOptionError(`${name} is not an address like "https://data.example.com".`)
  return `${origin}${pathname?.replace(/\/+$/, '')}`
}

/** A request to the origin of the page needs no preflight for its headers. */
function isOwnOrigin(base: string): boolean {
  return new URL(base).origin === (globalThis as { location?: { readonly origin: string } }).location?.origin
}

/** In a page or its worker, sockets cannot send headers, and `fetch` with headers needs a preflight. */
export function inBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis
}

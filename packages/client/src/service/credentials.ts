import { InvalidOptionError, RefusedError, UnavailableError } from '../errors.ts'
import type { ClientOptions } from '../options.ts'

/** An API key or a token. */
export interface Credential {
  readonly value: string
  /** When a stream gets a new token and reconnects, in ms since the Unix epoch. `Infinity` for a key. */
  readonly renewAt: number
}

export interface Credentials {
  /**
   * The API key, or a token that is not about to expire. Concurrent calls share one call of the function `token`.
   *
   * @throws {UnavailableError} the function failed, and there is no token that may still be valid.
   */
  current(signal: AbortSignal | undefined): Promise<Credential>
  /** After the gateway refused a credential: whether `current` returns another one. */
  replace(refused: Credential): boolean
}

/** RFC 9110, section 5.5. For other characters, the error of `fetch` would show the key. */
export const visibleAscii: RegExp = /^[\x21-\x7e]+$/

/** @throws {InvalidOptionError} */
export function createCredentials({ apiKey, token }: Pick<ClientOptions, 'apiKey' | 'token'>): Credentials {
  if (apiKey !== undefined && token !== undefined)
    throw new InvalidOptionError('There are apiKey and token. Pass only one of them.')
  if (token !== undefined) return createTokens(token)
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new InvalidOptionError('apiKey is missing. Pass a key like "hr_live_…", or a function "token".')
  if (!visibleAscii.test(apiKey))
    throw new InvalidOptionError(
      'apiKey holds a space, a line end or another character that keys do not have. Pass it as it was created.',
    )
  const credential = { value: apiKey, renewAt: Number.POSITIVE_INFINITY }
  return { current: async () => credential, replace: () => false }
}

interface Token extends Credential {
  /** As far as the client knows. The gateway decides. */
  readonly expires: number
}

function createTokens(token: () => Promise<string>): Credentials {
  if (typeof token !== 'function')
    throw new InvalidOptionError('token must be a function that returns a promise of a token.')
  let held: Token | undefined
  let renewal: Promise<Token> | undefined
  return {
    async current(signal) {
      if (held && Date.now() < held.renewAt) return held
      try {
        return await abortable(shareRenewal(), signal)
      } catch (error) {
        signal?.throwIfAborted()
        if (held && Date.now() < held.expires) return held
        throw error
      }
    },
    replace(refused) {
      if (held?.value === refused.value) held = undefined
      return true
    },
  }

  function shareRenewal(): Promise<Token> {
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  async function renew(): Promise<Token> {
    const value = await callInTime(token)
    if (typeof value !== 'string' || !visibleAscii.test(value))
      throw new InvalidOptionError('The function "token" must return a token: text without spaces and line ends.')
    held = readToken(value, Date.now())
    return held
  }
}

/** In ms. */
const tokenMs = 30_000

async function callInTime(token: () => Promise<string>): Promise<string> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`It did not return within ${tokenMs / 1000} s.`)), tokenMs)
  try {
    return await Promise.race([token(), late])
  } catch (cause) {
    throw new UnavailableError('token_unavailable', 'The function "token" failed. Its error is the cause.', { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** A token is renewed at most this much before it expires, in ms. */
const longestMargin = 300_000

/**
 * Where the clock of this device cannot be right, the token is taken as just created. The renewal comes at a random
 * time, so that clients do not renew together.
 */
export function readToken(value: string, now: number, random: () => number = Math.random): Token {
  const { iat, exp } = claimsOf(value)
  if (!Number.isFinite(exp)) return { value, renewAt: Number.POSITIVE_INFINITY, expires: Number.POSITIVE_INFINITY }
  const lifetime = Math.max(0, exp! - (iat ?? exp!)) * 1000
  const remaining = exp! * 1000 - now
  const left = remaining > 0 && remaining <= lifetime ? remaining : lifetime
  const margin = Math.min(left / 5, longestMargin) * (0.5 + random() / 2)
  return { value, renewAt: now + left - margin, expires: now + left }
}

/** Of anything but a JWT, such as an API key: none. */
function claimsOf(token: string): { readonly iat?: number; readonly exp?: number } {
  try {
    const text = atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'))
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}

async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

/** Of the gateway, or of a stream that it ends. `key_revoked` is also the code of 4401, whatever has expired. */
const credentialCodes: readonly string[] = ['invalid_token', 'token_expired', 'key_revoked']

/** Whether an error says that the credential is not accepted, or no longer. */
export function refusesCredential(error: unknown): error is RefusedError {
  return error instanceof RefusedError && credentialCodes.includes(error.code)
}

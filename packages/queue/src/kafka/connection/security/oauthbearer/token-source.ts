import { setTimeout as delay } from 'node:timers/promises'
import { UserError } from '../../../../errors.ts'
import type { Logger } from '../../../../logger.ts'
import { NoAnswerError } from '../../broker-error.ts'
import type { AccessToken } from './access-token.ts'

/** Where tokens come from: an endpoint, a program or a file. Its description has no secret. */
export interface TokenOrigin {
  readonly description: string
  /**
   * @throws {UserError} what the user has configured is refused.
   * @throws {NoAnswerError} trying again may succeed.
   */
  fetch(): Promise<AccessToken>
}

/** One token for all connections. */
export interface TokenSource extends Pick<TokenOrigin, 'description'> {
  /**
   * The current token. It is renewed by the first call after about 80 % of its lifetime, and used to its end if that
   * fails. Failed fetches are repeated after a growing pause, in which this fails with the last error.
   *
   * @throws {UserError | NoAnswerError} as `TokenOrigin.fetch`.
   */
  get(): Promise<string>
  /** A broker has accepted a token. */
  accepted(): void
  /** A broker has refused this token: it is not used again. Returns whether another one may be accepted. */
  refused(token: string): boolean
}

interface HeldToken extends AccessToken {
  readonly fetchedAt: number
  readonly renewAt: number
}

/** `now` is monotonic, in ms. */
export function createTokenSource(
  origin: TokenOrigin,
  log: Logger,
  now: () => number = () => performance.now(),
): TokenSource {
  let held: HeldToken | undefined
  let fetching: Promise<string> | undefined
  let failure: { readonly error: unknown; readonly count: number; readonly retryAt: number } | undefined
  let everAccepted = false

  async function fetch(): Promise<string> {
    try {
      const token = await origin.fetch()
      const fetchedAt = now()
      // Processes that were started together do not renew at the same time.
      const share = renewalShare * (1 - Math.random() * renewalJitter)
      held = { ...token, fetchedAt, renewAt: fetchedAt + token.lifetimeMs * share }
      failure = undefined
      return token.value
    } catch (error) {
      const count = (failure?.count ?? 0) + 1
      const pauseMs = Math.min(firstPauseMs * 2 ** (count - 1), longestPauseMs) * (0.75 + Math.random() / 2)
      failure = { error, count, retryAt: now() + pauseMs }
      const reason = (error as Error).message
      if (held && remaining(held) > 0) log.warn({ reason }, 'the token for Kafka is not renewed, it is used to its end')
      throw error
    } finally {
      fetching = undefined
    }
  }

  function remaining({ fetchedAt, lifetimeMs }: HeldToken): number {
    return fetchedAt + lifetimeMs - now()
  }

  function renew(): Promise<string> {
    if (failure && now() < failure.retryAt) return Promise.reject(failure.error)
    fetching ??= fetch()
    return fetching
  }

  return {
    description: origin.description,
    async get() {
      if (held && now() < held.renewAt) return held.value
      const renewed = renew()
      if (!held || remaining(held) <= 0) return renewed
      const { value } = held
      const waiting = new AbortController()
      const waited = delay(remaining(held) / 2, value, { signal: waiting.signal, ref: false }).catch(() => value)
      try {
        return await Promise.race([renewed.catch(() => value), waited])
      } finally {
        waiting.abort()
      }
    },
    accepted() {
      everAccepted = true
    },
    refused(token) {
      const wasOld = held?.value !== token || now() - held.fetchedAt > freshMs
      if (held?.value === token) held = undefined
      return everAccepted || wasOld
    },
  }
}

const renewalShare = 0.8
const renewalJitter = 0.05
const firstPauseMs = 100
const longestPauseMs = 10_000
const freshMs = 10_000

/** Anything but an error of the user may go away. */
export function tokenUnavailable(description: string, problem: string, cause?: unknown): NoAnswerError {
  return new NoAnswerError(`no token from ${description}: ${problem}`, { cause })
}

export function tokenRefused(description: string, problem: string): UserError {
  return new UserError('authentication_failed', `There is no token from ${description}: ${problem}`)
}

/** Never in a log or a message. */
export interface AccessToken {
  readonly value: string
  /** In ms, from its receipt. 0 if it has expired by the clock of this machine. */
  readonly lifetimeMs: number
}

/**
 * A token by itself, or a JSON object: the answer of a token endpoint (RFC 6749, section 5.1), or what the signers and
 * command line tools of clouds print. Of several facts about its end, the first of these is used: the remaining time,
 * the time of expiry, the claims of a JSON Web Token. Otherwise it is used for five minutes.
 *
 * @throws {SyntaxError} its message quotes nothing of the text.
 */
export function parseAccessToken(text: string, now: number = Date.now()): AccessToken {
  const trimmed = text.trim()
  const json = trimmed.startsWith('{') ? parseObject(trimmed) : { token: trimmed }
  const value = json.access_token ?? json.accessToken ?? json.token
  if (typeof value !== 'string' || value === '') throw new SyntaxError(trimmed === '' ? 'nothing' : 'no token')
  if (!tokenForm.test(value)) throw new SyntaxError('text with characters that no token has')
  const lifetimeMs = lifetimeIn(json, now) ?? lifetimeOfJwt(value, now) ?? unknownLifetimeMs
  return { value, lifetimeMs: Math.max(lifetimeMs, 0) }
}

/** RFC 6750, section 2.1. */
const tokenForm = /^[\w.~+/-]+=*$/
const unknownLifetimeMs = 5 * 60_000

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new SyntaxError('invalid JSON')
  }
}

function lifetimeIn(json: Record<string, unknown>, now: number): number | undefined {
  const remaining = numberIn(json.expires_in)
  if (remaining !== undefined) return remaining * 1000
  const expiry = numberIn(json.expires_on)
  if (expiry !== undefined) return expiry * 1000 - now
  const expiryMs = numberIn(json.expiryTime)
  return expiryMs === undefined ? undefined : expiryMs - now
}

/** Some issuers write numbers as strings. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** By the clock of the issuer where that of this machine is ahead. */
function lifetimeOfJwt(token: string, now: number): number | undefined {
  const { exp, iat } = claimsOf(token)
  if (typeof exp !== 'number') return undefined
  const remaining = exp * 1000 - now
  const whole = typeof iat === 'number' ? (exp - iat) * 1000 : remaining
  return Math.min(remaining, whole)
}

function claimsOf(token: string): Record<string, unknown> {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return {}
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}

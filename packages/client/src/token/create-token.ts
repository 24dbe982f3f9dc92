import { InvalidOptionError } from '../errors.ts'

export interface TokenOptions {
  /** The key that the token is derived from. It is not in the token. */
  readonly apiKey: string
  /** Seconds until the token expires, 1 to 86,400. Default 900. */
  readonly expiresIn?: number | undefined
  /** Topic names in which `*` matches any characters, 1 to 100. A topic must also be one of the key. Default: all. */
  readonly topics?: readonly string[] | undefined
  /** The token reads only records that match this filter. At most 2,048 characters. */
  readonly filter?: string | undefined
  /** Origin of the only pages that may use the token, e.g. `https://example.com`. */
  readonly origin?: string | undefined
}

/**
 * Creates a token, which gives a browser a part of what an API key may do for a short time. It asks nobody: the token is
 * signed with a key pair that is derived from the API key. For servers; it works wherever there is Web Crypto with
 * Ed25519.
 *
 * @returns A JSON Web Token (RFC 7519), signed with Ed25519 (RFC 8037), of at most 4,096 characters.
 * @throws {InvalidOptionError} its `code` is `invalid_option`.
 *
 * @example
 * ```ts
 * import { createToken } from '@headrace/client/token'
 *
 * const token = await createToken({ apiKey, expiresIn: 600, topics: ['headrace.evm.*'] })
 * ```
 */
export async function createToken(options: TokenOptions): Promise<string> {
  checkOptions(options)
  const { apiKey, expiresIn = 900, topics, filter, origin } = options
  const { publicKey, sign } = await deriveKeyPair(apiKey)
  const iat = Math.floor(Date.now() / 1000)
  const header = { alg: 'EdDSA', typ: 'JWT', kid: await keyId(publicKey) }
  // JSON leaves out what is undefined.
  const claims = { aud: audienceOf(apiKey), iat, exp: iat + expiresIn, topics, filter, origin }
  const signed = [header, claims].map((part) => base64url(encoder.encode(JSON.stringify(part)))).join('.')
  const token = `${signed}.${base64url(new Uint8Array(await sign(encoder.encode(signed))))}`
  if (token.length <= maxLength) return token
  throw new InvalidOptionError(
    `The token would have ${token.length} characters; at most ${maxLength} are allowed. Use fewer topics or a shorter filter.`,
  )
}

const encoder = new TextEncoder()
const maxLength = 4096
const maxSeconds = 86_400
const names: readonly string[] = ['apiKey', 'expiresIn', 'topics', 'filter', 'origin']

function checkOptions(options: TokenOptions): void {
  const { apiKey, expiresIn = 900, topics, filter, origin } = options
  // A misspelt name would widen the token.
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new InvalidOptionError(`There is no option "${unknown}". There are ${names.join(', ')}.`)
  if (typeof apiKey !== 'string' || !/^hr_(live|test)_[0-9A-Za-z]{36}$/.test(apiKey))
    throw new InvalidOptionError('apiKey is not an API key like "hr_live_…". Pass it as it was created.')
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > maxSeconds)
    throw new InvalidOptionError(`expiresIn is ${expiresIn}. It must be a whole number from 1 to ${maxSeconds}.`)
  if (topics !== undefined && !isPatternList(topics))
    throw new InvalidOptionError('topics must be an array of 1 to 100 topic names, in which * matches any characters.')
  if (filter !== undefined && !(typeof filter === 'string' && filter !== '' && filter.length <= 2048))
    throw new InvalidOptionError('filter must be a text of 1 to 2,048 characters.')
  if (origin !== undefined && URL.parse(origin)?.origin !== origin)
    throw new InvalidOptionError(`origin is "${origin}". It must be what browsers send, like "https://example.com".`)
}

function isPatternList(topics: unknown): boolean {
  const isPattern = (pattern: unknown) => typeof pattern === 'string' && /^[A-Za-z0-9._*-]{1,249}$/.test(pattern)
  return Array.isArray(topics) && topics.length >= 1 && topics.length <= 100 && topics.every(isPattern)
}

function audienceOf(apiKey: string): string {
  return apiKey.startsWith('hr_live_') ? 'headrace:production' : 'headrace:development'
}

interface KeyPair {
  /** 32 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
}

/** PKCS #8 up to the seed of an Ed25519 key (RFC 8410, section 7). */
const pkcs8Head = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]

/** The seed is HKDF-SHA256 (RFC 5869) of the API key, without a salt. */
async function deriveKeyPair(apiKey: string): Promise<KeyPair> {
  const { subtle } = crypto
  const secret = await subtle.importKey('raw', encoder.encode(apiKey), 'HKDF', false, ['deriveBits'])
  const info = encoder.encode('headrace token key v1')
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  const seed = new Uint8Array(await subtle.deriveBits(hkdf, secret, 256))
  const pkcs8 = Uint8Array.of(...pkcs8Head, ...seed)
  // Only an exported private key shows its public key.
  const privateKey = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign'])
  const { x } = await subtle.exportKey('jwk', privateKey)
  return { publicKey: fromBase64url(x!), sign: (bytes) => subtle.sign('Ed25519', privateKey, bytes) }
}

/** The first 16 hex digits of the SHA-256 of the public key. */
async function keyId(publicKey: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', publicKey))
  return Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
}

import { createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject } from 'node:crypto'

/** The Ed25519 key pair that signs the tokens of an API key. Whoever holds the API key can derive it. */
export interface TokenKey {
  readonly privateKey: KeyObject
  /** 32 bytes in base64url, the `x` of a JWK (RFC 8037). */
  readonly publicKey: string
}

/** PKCS #8 up to the seed of an Ed25519 key (RFC 8410, section 7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The seed is HKDF-SHA256 (RFC 5869) of the API key, without a salt. */
export function deriveTokenKey(apiKey: string): TokenKey {
  const seed = Buffer.from(hkdfSync('sha256', apiKey, '', 'headrace token key v1', 32))
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: createPublicKey(privateKey).export({ format: 'jwk' }).x! }
}

/** The first 16 hex digits of the SHA-256 of the public key, so that a backend needs to know only its API key. */
export function keyIdOf(publicKey: string): string {
  return hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex').slice(0, 16)
}

import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { deriveTokenKey, keyIdOf } from '../../src/access/tokens/token-key.ts'

export interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** Replace the encoded parts. */
  readonly headerText?: string
  readonly claimsText?: string
  readonly sign?: Signer
}

type Signer = (input: Buffer, privateKey: KeyObject) => Buffer

const encode = (text: string) => Buffer.from(text).toString('base64url')
export const now = (): number => Math.floor(Date.now() / 1000)

/** A token of an API key that is valid without changes. A member that is `undefined` is left out. */
export function forge(apiKey: string, forgery: Forgery = {}): string {
  const { privateKey, publicKey } = deriveTokenKey(apiKey)
  const header = { alg: 'EdDSA', typ: 'JWT', kid: keyIdOf(publicKey), ...forgery.header }
  const claims = { aud: 'headrace:development', iat: now(), exp: now() + 60, ...forgery.claims }
  const input = [forgery.headerText ?? JSON.stringify(header), forgery.claimsText ?? JSON.stringify(claims)]
    .map(encode)
    .join('.')
  const signature = (forgery.sign ?? ((bytes) => sign(null, bytes, privateKey)))(Buffer.from(input), privateKey)
  return `${input}.${signature.toString('base64url')}`
}

/** RFC 8725, section 2.1: the public key as the secret of an HMAC. */
export function hmacWith(secret: string | Buffer): Signer {
  return (input) => createHmac('sha256', secret).update(input).digest()
}

export function signWithOther(type: 'rsa' | 'ec' | 'ed25519'): Signer {
  if (type === 'ed25519') return (input) => sign(null, input, generateKeyPairSync('ed25519').privateKey)
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return (input) => sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' })
}

import { expect, test } from 'vitest'
import { createToken, type TokenOptions } from './create-token.ts'

const apiKey = `hr_test_${'0123456789'.repeat(3)}abcDEF`

const decode = (part: string | undefined) => JSON.parse(Buffer.from(part!, 'base64url').toString())

/** Of `apiKey`, computed with the Python library `cryptography`. They never change: deployed backends derive the same. */
const [publicKey, keyId] = ['eX9ftl6uzGg9iWcs6QwjcxfkVP2Yu4Vo05AoCQaD6dU', 'deded65f4d0dbe89']

test('a token is signed with a key pair that is derived from the API key', async () => {
  const rights = { topics: ['a.*'], filter: 'true', origin: 'https://a.example' }
  const [header, claims, signature] = (await createToken({ apiKey, expiresIn: 60, ...rights })).split('.')
  expect(decode(header)).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: keyId })
  const { iat, exp, ...others } = decode(claims)
  expect(exp - iat).toBe(60)
  expect(others).toEqual({ aud: 'headrace:development', ...rights })
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey }
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
  const [signed, sent] = [Buffer.from(`${header}.${claims}`), Buffer.from(signature!, 'base64url')]
  expect(await crypto.subtle.verify('Ed25519', key, sent, signed)).toBe(true)
})

test('a token of a live key is for production, for 15 minutes, and has no other claims', async () => {
  const claims = decode((await createToken({ apiKey: apiKey.replace('test', 'live') })).split('.')[1])
  expect(Object.keys(claims)).toEqual(['aud', 'iat', 'exp'])
  expect([claims.aud, claims.exp - claims.iat]).toEqual(['headrace:production', 900])
})

test.each<[string, Partial<TokenOptions> & Record<string, unknown>]>([
  ['no key', { apiKey: '' }],
  ['a token as the key', { apiKey: 'eyJ.eyJ.x' }],
  ['a key with a line end', { apiKey: `${apiKey}\n` }],
  ['a time of 0', { expiresIn: 0 }],
  ['more than 24 h', { expiresIn: 86_401 }],
  ['a fraction of a second', { expiresIn: 0.5 }],
  ['no topics', { topics: [] }],
  ['a text as topics', { topics: 'a' as never }],
  ['a topic with a space', { topics: ['a b'] }],
  ['an empty filter', { filter: '' }],
  ['a long filter', { filter: 'x'.repeat(2049) }],
  ['a token that is too long', { filter: 'ü'.repeat(2000) }],
  ['an origin with a path', { origin: 'https://a.example/' }],
  ['an unknown option', { topic: ['a'] }],
])('%s is refused', async (_, options) => {
  const error = await createToken({ apiKey, ...options }).catch((error: Error) => error)
  expect(error).toMatchObject({ code: 'invalid_option', message: expect.not.stringContaining(apiKey) })
})

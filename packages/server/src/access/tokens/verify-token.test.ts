import fc from 'fast-check'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import type { ApiKey } from '../keys/api-key.ts'
import { generateKey } from '../keys/key-format.ts'
import { deriveTokenKey, keyIdOf } from './token-key.ts'
import { createTokenVerifier } from './verify-token.ts'

const { privateKey, publicKey } = deriveTokenKey(generateKey('development'))
const key = { id: keyIdOf(publicKey), publicKey, topics: ['*'] } as unknown as ApiKey
const verifier = createTokenVerifier({
  keys: { get: (id) => (id === key.id ? key : undefined) },
  environment: 'development',
})
const valid = await new SignJWT({ aud: 'headrace:development', topics: ['a.*'] })
  .setProtectedHeader({ alg: 'EdDSA', kid: key.id })
  .setIssuedAt()
  .setExpirationTime('1h')
  .sign(privateKey)

async function outcomeOf(token: string): Promise<unknown> {
  return verifier.verify(token).then(
    ({ grant }) => grant.topics,
    ({ code }) => code,
  )
}

test('a token with any other character in any place is refused', async () => {
  expect(await outcomeOf(valid)).toEqual(['a.*'])
  for (let at = 0; at < valid.length; at++)
    for (const other of ['A', 'z', '.', '=', '\u00e9'].filter((character) => character !== valid[at])) {
      const changed = valid.slice(0, at) + other + valid.slice(at + 1)
      expect([changed, await outcomeOf(changed)]).toEqual([changed, 'invalid_token'])
      expect(verifier.recall(changed)).toBeUndefined()
    }
  expect(verifier.recall(valid)?.grant.topics).toEqual(['a.*'])
})

test('whatever header and claims a key signs, a token is accepted or refused with a code', async () => {
  const json = fc.jsonValue({ maxDepth: 2 })
  const member = fc.constantFrom('aud', 'exp', 'iat', 'nbf', 'topics', 'filter', 'origin', 'x', '__proto__')
  const time = fc.integer({ min: -100, max: 100_000 }).map((seconds) => Math.floor(Date.now() / 1000) + seconds)
  const seen = new Set<unknown>()
  await fc.assert(
    fc.asyncProperty(fc.dictionary(member, fc.oneof(json, time)), fc.boolean(), async (others, isBased) => {
      const now = Math.floor(Date.now() / 1000)
      const base = isBased ? { aud: 'headrace:development', iat: now, exp: now + 60 } : {}
      const token = await new SignJWT({ ...base, ...others } as Record<string, unknown>)
        .setProtectedHeader({ alg: 'EdDSA', kid: key.id })
        .sign(privateKey)
      const outcome = await outcomeOf(token)
      const code = typeof outcome === 'string' ? outcome : 'accepted'
      expect(['accepted', 'invalid_token', 'token_expired']).toContain(code)
      seen.add(code)
      if (code === 'accepted') expect(outcome).toEqual((others as { topics?: unknown }).topics)
    }),
    { numRuns: 500 },
  )
  expect(seen).toContain('accepted')
  expect(seen).toContain('invalid_token')
})

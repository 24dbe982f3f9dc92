import { createPublicKey, type KeyObject } from 'node:crypto'
import { listKeys } from '@headrace/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateKey } from '../../src/access/keys/key-format.ts'
import { deriveTokenKey } from '../../src/access/tokens/token-key.ts'
import { openEvents } from '../clients/event-stream.ts'
import { connect, refusedUpgrade } from '../clients/json-rpc-client.ts'
import { orders, returns, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { type Forgery, forge, hmacWith, now, signWithOther } from './forge-token.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 3)
})
afterAll(() => shop[Symbol.asyncDispose]())

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
const data = `/api/v1/data/${orders}`

async function answerTo(credential: string, path = data, headers: Record<string, string> = {}) {
  const response = await shop.get(path, { ...bearer(credential), ...headers })
  const { code } = (await response.json()) as { code?: string }
  return [response.status, code] as const
}

/** The order of the group of Ed25519 (RFC 8032, section 5.1), little-endian. */
const groupOrder = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex')

/** The same signature with S + L instead of S, which RFC 8032 section 5.1.7 forbids. */
function malleable(signature: Buffer): Buffer {
  const changed = Buffer.from(signature)
  for (let at = 0, carry = 0; at < 32; at++) {
    const sum = changed[32 + at]! + groupOrder[at]! + carry
    changed[32 + at] = sum & 255
    carry = sum >> 8
  }
  return changed
}

const publicBytes = () => Buffer.from(deriveTokenKey(shop.key).publicKey, 'base64url')
const publicPem = (privateKey: KeyObject) => createPublicKey(privateKey).export({ format: 'pem', type: 'spki' })
const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const valid = () => forge(shop.key)
const partsOf = (token: string) => token.split('.') as [string, string, string]
const jwk = () => ({ kty: 'OKP', crv: 'Ed25519', x: deriveTokenKey(generateKey('development')).publicKey })

const forgeries: Readonly<Record<string, Forgery | (() => Forgery | string)>> = {
  // RFC 8725, section 2.1: algorithms.
  'without a signature, alg none': () => `${segment({ alg: 'none' })}.${partsOf(valid())[1]}.`,
  'with a signature, alg none': { header: { alg: 'none' } },
  'alg NONE': { header: { alg: 'NONE' } },
  'without alg': { header: { alg: undefined } },
  'alg as an array': { header: { alg: ['EdDSA'] } },
  'HS256 with the public key': () => ({ header: { alg: 'HS256' }, sign: hmacWith(publicBytes()) }),
  'HS256 with the public key as text': () => ({
    header: { alg: 'HS256' },
    sign: hmacWith(deriveTokenKey(shop.key).publicKey),
  }),
  'HS256 with the public key as PEM': {
    header: { alg: 'HS256' },
    sign: (input, key) => hmacWith(publicPem(key))(input, key),
  },
  ES256: { header: { alg: 'ES256' }, sign: signWithOther('ec') },
  RS256: { header: { alg: 'RS256' }, sign: signWithOther('rsa') },
  'Ed25519 as alg': { header: { alg: 'Ed25519' } },
  'alg in lower case': { header: { alg: 'eddsa' } },

  // Keys.
  'signed by another pair': { sign: signWithOther('ed25519') },
  'of a key that was never created': () => forge(generateKey('development')),
  "with the kid of another key's token": () => ({ header: { kid: 'f'.repeat(16) } }),
  'without kid': { header: { kid: undefined } },
  'kid as a number': { header: { kid: 1 } },
  'kid as an array': () => ({ header: { kid: [shop.keyId] } }),
  'kid with a path': { header: { kid: '../../etc/passwd' } },
  'kid with SQL': { header: { kid: "' or '1'='1" } },
  'kid __proto__': { header: { kid: '__proto__' } },
  'kid constructor': { header: { kid: 'constructor' } },
  'with its own key (jwk)': () => ({ header: { jwk: jwk() } }),
  'with the address of a key (jku)': { header: { jku: 'https://evil.example/keys' } },
  'with the address of a certificate (x5u)': { header: { x5u: 'https://evil.example/x' } },
  'with a certificate (x5c)': { header: { x5c: ['MII='] } },
  'with crit': { header: { crit: ['exp'] } },
  'with an unencoded payload (b64)': { header: { b64: false, crit: ['b64'] } },
  'of another type': { header: { typ: 'at+jwt' } },
  'with an own __proto__ in its header': () => ({
    headerText: `{"alg":"EdDSA","kid":"${shop.keyId}","__proto__":{"x":1}}`,
  }),

  // Form.
  'of two parts': () => partsOf(valid()).slice(0, 2).join('.'),
  'of four parts': () => `${valid()}.AAAA`,
  'of five parts, encrypted': () => `${segment({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`,
  'with padding': () => `${valid()}==`,
  'with other unused bits at its end': () =>
    valid().replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
  'with S + L in its signature': () => {
    const [header, claims, signature] = partsOf(valid())
    return `${header}.${claims}.${malleable(Buffer.from(signature, 'base64url')).toString('base64url')}`
  },
  'with a signature of zeros': { sign: () => Buffer.alloc(64) },
  // The neutral element as R, and 0 as S.
  'with a signature of small order': { sign: () => Buffer.concat([Buffer.of(1), Buffer.alloc(63)]) },
  'with a short signature': { sign: () => Buffer.alloc(32) },
  'with a changed claim': () => {
    const [header, , signature] = partsOf(valid())
    return `${header}.${segment({ aud: 'headrace:development', iat: now(), exp: now() + 99 })}.${signature}`
  },
  'with a header that is not JSON': { headerText: '{' },
  'with a header that is an array': { headerText: '[]' },
  'with claims that are not JSON': { claimsText: '{"aud":' },
  'with claims that are an array': { claimsText: '[]' },
  'with claims that are null': { claimsText: 'null' },
  'with claims that are a text': { claimsText: '"x"' },
  'with deep claims': { claimsText: `${'['.repeat(1400)}${']'.repeat(1400)}` },
  'with claims that are too large': { claims: { jti: 'x'.repeat(4000) } },

  // Claims.
  'without aud': { claims: { aud: undefined } },
  'for another audience': { claims: { aud: 'other' } },
  'for no audience': { claims: { aud: [] } },
  'with aud in upper case': { claims: { aud: 'HEADRACE:DEVELOPMENT' } },
  'without exp': { claims: { exp: undefined } },
  'without iat': { claims: { iat: undefined } },
  'with exp as a text': { claims: { exp: `${now() + 60}` } },
  'with iat as a text': { claims: { iat: `${now()}` } },
  'with exp as null': { claims: { exp: null } },
  'with a huge exp': { claims: { exp: 1e300 } },
  'with exp in ms': { claims: { exp: Date.now() + 60_000 } },
  'for more than 24 h': () => ({ claims: { exp: now() + 86_401, iat: now() } }),
  'for more than 24 h from an iat in the future': () => ({ claims: { iat: now() + 50, exp: now() + 86_451 } }),
  'with iat in the future': { claims: { iat: now() + 300, exp: now() + 400 } },
  'with a huge iat': { claims: { iat: 1e300, exp: 1e300 } },
  'not valid yet': { claims: { nbf: now() + 300 } },
  'with nbf as a text': { claims: { nbf: 'now' } },
  'with an unknown claim': { claims: { topic: [orders] } },
  'with a claim of a prototype': { claims: { constructor: 1 } },
  'with topics as a text': { claims: { topics: orders } },
  'with no topics': { claims: { topics: [] } },
  'with topics as null': { claims: { topics: null } },
  'with a topic that is not a pattern': { claims: { topics: ['.*(a|b)'] } },
  'with topics in an array in an array': { claims: { topics: [[orders]] } },
  'with an empty filter': { claims: { filter: '' } },
  'with a filter that is not a text': { claims: { filter: true } },
  'with a filter that is too long': { claims: { filter: 'x'.repeat(2049) } },
  'with several origins': { claims: { origin: ['https://example.com'] } },
}

test.each(Object.entries(forgeries))('a token %s is refused', async (_, forgery) => {
  const made = typeof forgery === 'function' ? forgery() : forgery
  const token = typeof made === 'string' ? made : forge(shop.key, made)
  const path = `${data}?api_key=${encodeURIComponent(token)}`
  for (const response of [await shop.get(path, {}), await shop.get(path, {})]) {
    const { code, detail } = (await response.json()) as { code: string; detail: string }
    expect([response.status, code]).toEqual([401, 'invalid_token'])
    expect(detail).toMatch(/^The token is not valid\. .+\.$/)
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  }
})

test('a token as JSON is not taken for one', async () => {
  const [header, payload, signature] = partsOf(valid())
  const credential = encodeURIComponent(JSON.stringify({ protected: header, payload, signature }))
  const response = await shop.get(`${data}?api_key=${credential}`, {})
  expect([response.status, await response.json()]).toMatchObject([401, { code: 'invalid_key' }])
})

test.each<[string, Forgery]>([
  ['as it should be', {}],
  ['without typ', { header: { typ: undefined } }],
  ['for several audiences', { claims: { aud: ['other', 'headrace:development'] } }],
  ['of a backend whose clock is 50 s ahead', { claims: { iat: now() + 50, nbf: now() + 50, exp: now() + 90 } }],
  ['with fractions of seconds', { claims: { iat: now() + 0.5, exp: now() + 60.5 } }],
  ['for 24 h', { claims: { exp: now() + 86_400, iat: now() } }],
  ['with registered claims', { claims: { iss: 'shop', sub: 'user-7', jti: '1' } }],
  // RFC 7519, section 4: a parser may return the last of two members.
  ['with aud twice', { claimsText: `{"aud":"x","aud":"headrace:development","iat":${now()},"exp":${now() + 60}}` }],
])('a token %s is accepted', async (_, forgery) => {
  const token = forge(shop.key, forgery)
  expect(await answerTo(token)).toEqual([200, undefined])
  expect(await answerTo(token)).toEqual([200, undefined])
})

test('an expired token has its own code, also when the gateway has accepted it before', async () => {
  expect(await answerTo(forge(shop.key, { claims: { iat: now() - 90, exp: now() - 30 } }))).toEqual([
    ...[401, 'token_expired'],
  ])
  const token = forge(shop.key, { claims: { exp: now() + 3 } })
  expect(await answerTo(token)).toEqual([200, undefined])
  await expect.poll(() => answerTo(token), { interval: 100 }).toEqual([401, 'token_expired'])
})

test("a token of the other environment is refused, also with this environment's audience", async () => {
  const foreign = generateKey('production')
  expect(await answerTo(forge(foreign, { claims: { aud: 'headrace:production' } }))).toEqual([401, 'wrong_environment'])
  expect(await answerTo(forge(foreign))).toEqual([401, 'invalid_token'])
  expect(await answerTo(forge(shop.key, { claims: { aud: 'headrace:production' } }))).toEqual([401, 'invalid_token'])
})

describe('the topics of a token', () => {
  test('are those that both it and its key have', async () => {
    const { key } = await shop.addKey({ topics: [orders, 'other.*'] })
    const listed = async (token: string) => {
      const response = await shop.get('/api/v1/topics', bearer(token))
      return ((await response.json()) as { topics: { topic: string }[] }).topics.map(({ topic }) => topic)
    }
    const wider = forge(key, { claims: { topics: ['*'] } })
    expect(await listed(wider)).toEqual([orders])
    expect(await answerTo(wider, `/api/v1/data/${returns}`)).toEqual([403, 'topic_forbidden'])
    expect(await answerTo(wider, '/api/v1/data/_headrace.keys')).toEqual([403, 'topic_forbidden'])
    const other = forge(key, { claims: { topics: [returns] } })
    expect(await listed(other)).toEqual([])
    for (const path of [data, `/sse/v1?topics=${orders}`, `/api/v1/topics/${orders}`])
      expect(await answerTo(other, path)).toEqual([403, 'topic_forbidden'])
    using client = await connect(`${shop.url}/ws/v1`, bearer(other))
    expect((await client.call('subscribe', { topics: [orders] })).error!.data!.code).toBe('topic_forbidden')
  })

  test('shrink with those of its key, in open streams too', async () => {
    const { key, id } = await shop.addKey()
    const token = forge(key, { claims: { topics: [orders] } })
    using client = await connect(`${shop.url}/ws/v1`, bearer(token))
    await client.call('subscribe', { topics: [orders] })
    await shop.changeKey(id, { topics: [returns] })
    expect(await client.closed).toMatchObject({ code: 4403 })
    expect(await answerTo(token)).toEqual([403, 'topic_forbidden'])
  })
})

test('the origin of a token must be that of the request, and allowed by the key', async () => {
  const [page, other] = ['https://page.example', 'https://other.example']
  const { key } = await shop.addKey({ origins: [page, other] })
  const bound = forge(key, { claims: { origin: page } })
  expect(await answerTo(bound, data, { origin: page })).toEqual([200, undefined])
  expect(await answerTo(bound, data, { origin: other })).toEqual([403, 'origin_not_allowed'])
  expect(await answerTo(bound)).toEqual([403, 'origin_not_allowed'])
  const foreign = forge(key, { claims: { origin: 'https://evil.example' } })
  expect(await answerTo(foreign, data, { origin: 'https://evil.example' })).toEqual([403, 'origin_not_allowed'])
  expect(await refusedUpgrade(`${shop.url}/ws/v1`, { ...bearer(bound), origin: other })).toMatchObject({ status: 403 })
})

test('a page of any origin may read that its token has expired', async () => {
  const token = forge(shop.key, { claims: { iat: now() - 90, exp: now() - 30 } })
  const response = await shop.get(data, { ...bearer(token), origin: 'https://anyone.example' })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
    ...[401, 'https://anyone.example'],
  ])
})

describe('a token whose key', () => {
  test('is revoked is refused at once, and its streams end', async () => {
    const { key, id } = await shop.addKey()
    const token = forge(key)
    expect(await answerTo(token)).toEqual([200, undefined])
    using client = await connect(`${shop.url}/ws/v1`, bearer(token))
    using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}&api_key=${token}`)
    await shop.revokeKey(id)
    expect(await client.closed).toMatchObject({ code: 4401 })
    expect((await stream.readToEnd()).at(-1)).toMatchObject({ event: 'stream_error', data: { code: 'key_revoked' } })
    expect(await answerTo(token)).toEqual([401, 'invalid_token'])
    expect(await answerTo(forge(key))).toEqual([401, 'invalid_token'])
  })

  test('expires is refused', async () => {
    const { key, id } = await shop.addKey()
    const token = forge(key)
    expect(await answerTo(token)).toEqual([200, undefined])
    await shop.changeKey(id, { expires: '2020-01-01T00:00:00.000Z' })
    await expect.poll(() => answerTo(token)).toEqual([401, 'invalid_token'])
  })

  test('was created before tokens existed is refused, and the key cannot get one', async () => {
    const { key, id } = await shop.addKey()
    const token = forge(key)
    expect(await answerTo(token)).toEqual([200, undefined])
    await shop.changeKey(id, { publicKey: undefined as never })
    await expect.poll(() => answerTo(token)).toEqual([401, 'invalid_token'])
    const response = await fetch(`${shop.url}/api/v1/tokens`, { method: 'POST', headers: bearer(key) })
    expect([response.status, await response.json()]).toMatchObject([401, { detail: expect.stringContaining('Rotate') }])
  })
})

test('a stream ends when its token expires, with its last cursor', async () => {
  const token = await shop.createToken(shop.key, { expiresIn: 3 })
  using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}&from=earliest&api_key=${token}`)
  const [progress, end] = (await stream.readToEnd()).slice(-2)
  expect(end).toMatchObject({ event: 'stream_error', data: { code: 'token_expired' } })
  expect(progress).toMatchObject({ event: 'progress', data: { cursors: { [orders]: expect.any(String) } } })
})

test('all tokens of a key share its rate and its connections, and count as its usage', async () => {
  const { key } = await shop.addKey({ rate: 1, burst: 10, connections: 1 })
  const tokens = Array.from({ length: 10 }, () => forge(key, { claims: { jti: `${Math.random()}` } }))
  using _client = await connect(`${shop.url}/ws/v1`, bearer(key))
  expect(await answerTo(tokens[0]!, `/sse/v1?topics=${orders}`)).toEqual([429, 'connection_limit'])
  const answers = await Promise.all(tokens.map((token) => answerTo(token)))
  expect(answers.filter(([status]) => status === 429).length).toBeGreaterThanOrEqual(1)
})

test('tokens are not in the log, and no forgery made the gateway fail', async () => {
  const log = shop.logged.join('\n')
  expect(log).not.toMatch(/eyJ[\w-]{20}/)
  expect(shop.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
  expect(JSON.stringify(await listKeys(shop.queue))).not.toContain(deriveTokenKey(shop.key).publicKey)
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateKey } from '../../src/access/keys/key-format.ts'
import { connect } from '../clients/json-rpc-client.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { openRawSocket } from './raw-socket.ts'

let shop: ServedShop
/** A key for `https://app.example.org` only. */
let key: string
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 1)
  key = (await shop.addKey({ origins: [registered], rate: 10_000, burst: 10_000 })).key
})
afterAll(() => shop[Symbol.asyncDispose]())

const registered = 'https://app.example.org'
const targets = {
  REST: `/api/v1/data/${orders}`,
  SSE: `/sse/v1?topics=${orders}`,
  WebSocket: '/ws/v1',
} as const
type Target = keyof typeof targets
const protocols = Object.keys(targets) as Target[]
/** The response to an admitted caller. */
const accepted: Readonly<Record<Target, number>> = { REST: 200, SSE: 200, WebSocket: 101 }

/** The status, and the code if refused, for these header lines. */
async function ask(
  target: Target,
  lines: readonly string[],
  query = '',
): Promise<readonly [number, string | undefined]> {
  using raw = await openRawSocket(shop.url)
  const path = `${targets[target]}${query && `${targets[target].includes('?') ? '&' : '?'}${query}`}`
  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${nonce}`,
  ]
  const head = ['Host: x', ...(target === 'WebSocket' ? upgrade : ['Connection: close']), ...lines]
  raw.socket.write(Buffer.from(`GET ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`, 'latin1'))
  return await raw.until('answer', () => {
    const text = raw.received.toString('latin1')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\s\S]*\r\n\r\n/.exec(text)?.[1])
    if (status === 200 || status === 101) return [status, undefined] as const
    const code = /"code":"(\w+)"/.exec(text)?.[1]
    return code ? ([status, code] as const) : undefined
  })
}

const nonce = 'dGhlIHNhbXBsZSBub25jZQ=='
const authorized = () => `Authorization: Bearer ${key}`

describe('an Authorization header', () => {
  test.each([
    ['without a value', () => ['Authorization:']],
    ['without a key', () => ['Authorization: Bearer']],
    ['without a scheme', () => [`Authorization: ${key}`]],
    ['of another scheme', () => [`Authorization: Basic ${btoa(`x:${key}`)}`]],
    ['of a misspelt scheme', () => [`Authorization: Bearer: ${key}`]],
    ['with =', () => [`Authorization: Bearer=${key}`]],
    ['with a tab', () => [`Authorization: Bearer\t${key}`]],
    ['in quotes', () => [`Authorization: Bearer "${key}"`]],
    ['with two keys', () => [`Authorization: Bearer ${key} ${key}`]],
    ['with a comma', () => [`Authorization: Bearer ${key}, Bearer ${key}`]],
    ['with a parameter', () => [`Authorization: Bearer ${key}; a=b`]],
    ['with a letter that is not ASCII', () => [`Authorization: Bearer ${key}\u00e9`]],
    ['with the scheme twice', () => [`Authorization: Bearer Bearer ${key}`]],
  ] as const)('%s is malformed', async (_, lines) => {
    for (const protocol of protocols) expect(await ask(protocol, lines())).toEqual([401, 'malformed_authorization'])
  })

  test('is accepted in any case and with several spaces', async () => {
    for (const protocol of protocols)
      for (const name of ['AUTHORIZATION: BEARER ', 'authorization:bearer   ', 'Authorization: Bearer '])
        expect(await ask(protocol, [`${name}${key}  `])).toEqual([accepted[protocol], undefined])
  })

  test.each([
    ['twice', () => [authorized(), authorized()], ''],
    ['twice, in other cases', () => [authorized(), `AUTHORIZATION: Bearer ${key}`], ''],
    ['and one that is malformed', () => [authorized(), 'Authorization: Basic x'], ''],
    ['and a parameter', () => [authorized()], () => `api_key=${key}`],
    ['and an empty parameter', () => [authorized()], 'api_key='],
    ['that is malformed, and a parameter', () => ['Authorization: x'], () => `api_key=${key}`],
    ['that is absent, and two parameters', () => [], () => `api_key=${key}&api_key=${key}`],
    ['that is absent, and three parameters', () => [], () => `api_key=&api_key=&api_key=${key}`],
  ] as const)('%s is more than one key', async (_, lines, query) => {
    for (const protocol of protocols)
      expect(await ask(protocol, lines(), typeof query === 'string' ? query : query())).toEqual([
        400,
        'multiple_credentials',
      ])
  })

  test('of the other environment is refused by its form, whether the key exists or not', async () => {
    for (const protocol of protocols) {
      expect(await ask(protocol, [`Authorization: Bearer ${generateKey('production')}`])).toEqual([
        401,
        'wrong_environment',
      ])
      const forged = `${generateKey('production').slice(0, -1)}_`
      expect((await ask(protocol, [`Authorization: Bearer ${forged}`]))[1]).toBe('invalid_key')
    }
  })
})

describe('an Origin header', () => {
  test.each([
    ['of another scheme', ['http://app.example.org']],
    ['of another port', ['https://app.example.org:8443']],
    ['with the default port', ['https://app.example.org:443']],
    ['of a sub-domain', ['https://a.app.example.org']],
    ['of the parent domain', ['https://example.org']],
    ['of a domain with the same end', ['https://evilapp.example.org']],
    ['of a domain with the same beginning', ['https://app.example.org.evil.example']],
    ['null', ['null']],
    ['in upper case', ['HTTPS://APP.EXAMPLE.ORG']],
    ['with a slash', ['https://app.example.org/']],
    ['with a dot', ['https://app.example.org.']],
    ['with a user', ['https://app.example.org@evil.example']],
    ['without a value', ['']],
    ['*', ['*']],
    ['with another origin', ['https://app.example.org https://evil.example']],
    ['several times', ['https://app.example.org', 'https://evil.example']],
    ['twice the same', ['https://app.example.org', 'https://app.example.org']],
  ])('%s is not the registered one', async (_, origins) => {
    for (const protocol of protocols)
      expect(await ask(protocol, [authorized(), ...origins.map((origin) => `Origin: ${origin}`)])).toEqual([
        403,
        'origin_not_allowed',
      ])
  })

  test('is accepted as registered, and may be absent if the key does not require it', async () => {
    for (const protocol of protocols) {
      expect(await ask(protocol, [authorized(), `Origin: ${registered}`])).toEqual([accepted[protocol], undefined])
      expect(await ask(protocol, [authorized()])).toEqual([accepted[protocol], undefined])
    }
  })
})

describe('a preflight', () => {
  async function preflight(origin: string | undefined, headers: Record<string, string> = {}) {
    const asks = { 'access-control-request-method': 'GET', ...(origin !== undefined && { origin }), ...headers }
    const response = await fetch(shop.url + targets.REST, { method: 'OPTIONS', headers: asks })
    await response.body?.cancel()
    return [response.status, response.headers.get('access-control-allow-origin')]
  }

  test('of a registered origin needs no key, at every path', async () => {
    for (const path of [...Object.values(targets), '/api/v1/topics', '/api/v1/usage', '/health/live']) {
      const response = await fetch(shop.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: registered,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      })
      expect([path, response.status, response.headers.get('access-control-allow-origin')]).toEqual([
        path,
        204,
        registered,
      ])
      expect(response.headers.get('vary')).toBe('Origin')
    }
  })

  test.each([
    'null',
    'https://evil.example',
    `${registered}/`,
    registered.toUpperCase(),
    'http://app.example.org',
    '*',
  ])('of %s is refused, and no response may be read', async (origin) =>
    expect(await preflight(origin)).toEqual([403, null]),
  )

  test('for another method is answered with the allowed methods', async () => {
    const response = await fetch(shop.url + targets.REST, {
      method: 'OPTIONS',
      headers: { origin: registered, 'access-control-request-method': 'DELETE' },
    })
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
  })

  test('of an origin is refused when no key is registered for it any more', async () => {
    const origin = 'https://leaving.example.org'
    const { id } = await shop.addKey({ origins: [origin] })
    expect(await preflight(origin)).toEqual([204, origin])
    await shop.revokeKey(id)
    await expect.poll(() => preflight(origin)).toEqual([403, null])
    await shop.addKey({ origins: [origin], expires: new Date(Date.now() + 1000) })
    expect(await preflight(origin)).toEqual([204, origin])
    await expect.poll(() => preflight(origin), { timeout: 10_000 }).toEqual([403, null])
  })
})

describe('a key in a wrong place', () => {
  const wrongPlaces: Readonly<Record<string, (key: string) => string>> = {
    'the path of a topic': (text) => `/api/v1/data/${text}`,
    'the description of a topic': (text) => `/api/v1/topics/${text}`,
    'an unknown path': (text) => `/${text}`,
    'topics of SSE': (text) => `/sse/v1?topics=${text}`,
    'topics of SSE, twice': (text) => `/sse/v1?topics=${text},${text}`,
    from: (text) => `/api/v1/data/${orders}?from=${text}`,
    'from of SSE': (text) => `/sse/v1?topics=${orders}&from=${text}`,
    cursor: (text) => `/api/v1/data/${orders}?cursor=${text}`,
    limit: (text) => `/api/v1/data/${orders}?limit=${text}`,
    'from of usage': (text) => `/api/v1/usage?from=${text}`,
    'the name of a parameter': (text) => `/api/v1/data/${orders}?${text}=1`,
    'a parameter that is repeated': (text) => `/api/v1/data/${orders}?${text}=1&${text}=1`,
    'the target of an upgrade': (text) => `/ws/v1/${text}`,
  }
  test.each(Object.entries(wrongPlaces))('is neither in the response nor in the log: %s', async (_, targetWith) => {
    const { key } = await shop.addKey()
    for (const text of [key, key.slice('hr_test_'.length), encodeURIComponent(encodeURIComponent(`\t${key}`))]) {
      const response = await shop.get(targetWith(text))
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(await response.text()).not.toContain(key.slice(8))
      await shop.logs('request', { requestId: response.headers.get('x-request-id') })
    }
    expect(shop.logged.filter((line) => line.includes(key.slice(8)))).toEqual([])
  })

  test('is neither in the response nor in the log: params of WebSocket', async () => {
    const { key: open } = await shop.addKey()
    using client = await connect(`${shop.url}/ws/v1?api_key=${open}`)
    for (const text of [open, open.slice('hr_test_'.length)])
      for (const params of [
        { topics: [text] },
        { topics: [orders], from: text },
        { topics: [orders], from: { [text]: 'latest' } },
        { topics: [orders], from: { [orders]: text } },
        { topics: [orders], onGap: text },
        { topics: [orders], [text]: 1 },
      ]) {
        const { error } = await client.call('subscribe', params)
        expect(error).toBeDefined()
        expect(JSON.stringify(error)).not.toContain(open.slice(8))
      }
    expect(shop.logged.filter((line) => line.includes(open.slice(8)))).toEqual([])
  })
})

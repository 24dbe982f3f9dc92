import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { forge } from './forge-token.ts'
import { openRawSocket } from './raw-socket.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 3)
})
afterAll(() => shop[Symbol.asyncDispose]())

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
const statusOf = async (credential: string, headers: Record<string, string> = {}) =>
  (await shop.get(`/api/v1/data/${orders}`, { ...bearer(credential), ...headers })).status

describe('POST /api/v1/tokens', () => {
  const ask = async (headers: Record<string, string>, body?: string, query = '') => {
    const init = { method: 'POST', headers, ...(body !== undefined && { body }) }
    const response = await fetch(`${shop.url}/api/v1/tokens${query}`, init)
    return [response.status, (await response.json()) as { code: string; parameter: string }] as const
  }

  test('creates a token that a gateway accepts', async () => {
    const rights = { topics: [orders], origin: 'https://page.example' }
    const [status, { token, expires }] = (await ask(
      bearer(shop.key),
      JSON.stringify({ expiresIn: 60, ...rights }),
    )) as [number, never]
    expect([status, Math.abs(Date.parse(expires) - Date.now() - 60_000) < 20_000]).toEqual([200, true])
    expect(await statusOf(token, { origin: 'https://page.example' })).toBe(200)
    expect(await statusOf(token)).toBe(403)
    const byDefault = await shop.createToken(shop.key)
    const { exp, iat } = JSON.parse(Buffer.from(byDefault.split('.')[1]!, 'base64url').toString())
    expect(exp - iat).toBe(900)
    expect(await ask(bearer(shop.key))).toMatchObject([200, {}])
  })

  test('takes an API key in the header only', async () => {
    expect(await ask({})).toMatchObject([401, { code: 'missing_key' }])
    expect(await ask({}, '{}', `?api_key=${shop.key}`)).toMatchObject([
      ...[400, { code: 'invalid_parameter', parameter: 'api_key' }],
    ])
    expect(await ask(bearer(forge(shop.key)))).toMatchObject([401, { code: 'invalid_key' }])
    expect(await ask(bearer(shop.key), '{}', '?x=1')).toMatchObject([400, { code: 'invalid_parameter' }])
  })

  test.each(['Content-Length: 100', 'Transfer-Encoding: chunked'])(
    'waits for the rest of a body, and a client that leaves is no failure: %s',
    async (length) => {
      using raw = await openRawSocket(shop.url)
      const head = [`Authorization: Bearer ${shop.key}`, length]
      raw.socket.write(`POST /api/v1/tokens HTTP/1.1\r\nHost: x\r\n${head.join('\r\n')}\r\n\r\n2\r\n{"\r\n`)
      await shop.get('/health/live')
      raw.socket.destroy()
      await shop.logs('request', { url: '/api/v1/tokens', complete: false })
    },
  )

  test.each(['application/json; charset=utf-8', 'text/plain', 'application/x-unknown', undefined])(
    'takes JSON as %s',
    async (type) => {
      const headers = { ...bearer(shop.key), ...(type !== undefined && { 'content-type': type }) }
      expect(await ask(headers, '{"expiresIn":60}')).toMatchObject([200, {}])
    },
  )

  test('refuses what would make a token too long', async () => {
    const body = JSON.stringify({ filter: `value.note == "${'ü'.repeat(2000)}"` })
    expect(await ask(bearer(shop.key), body)).toMatchObject([400, { code: 'invalid_parameter', parameter: 'filter' }])
  })

  test('refuses a type that is not a media type', async () => {
    const headers = { ...bearer(shop.key), 'content-type': ';;;' }
    expect(await ask(headers, '{}')).toMatchObject([400, { code: 'malformed_request' }])
  })

  test('sends 100 Continue to a client that waits for it', async () => {
    using raw = await openRawSocket(shop.url)
    const head = ['Host: x', 'Connection: close', 'Expect: 100-continue', 'Content-Length: 2']
    raw.socket.write(
      `POST /api/v1/tokens HTTP/1.1\r\n${head.join('\r\n')}\r\nAuthorization: Bearer ${shop.key}\r\n\r\n`,
    )
    await raw.until('100', () => (/^HTTP\/1.1 100 /.test(raw.received.toString()) ? true : undefined))
    raw.socket.write('{}')
    expect(await raw.readToEnd()).toContain('HTTP/1.1 200 OK')
  })

  test.each([
    ['{', 'body'],
    ['[]', 'body'],
    ['null', 'body'],
    ['"x"', 'body'],
    ['{"expiresIn":0}', 'expiresIn'],
    ['{"expiresIn":86401}', 'expiresIn'],
    ['{"expiresIn":1.5}', 'expiresIn'],
    ['{"expiresIn":"60"}', 'expiresIn'],
    ['{"topics":"*"}', 'topics'],
    ['{"topics":[]}', 'topics'],
    ['{"topics":["a b"]}', 'topics'],
    ['{"filter":1}', 'filter'],
    ['{"origin":""}', 'origin'],
    ['{"aud":"x"}', 'aud'],
    ['{"__proto__":{"topics":["*"]}}', '__proto__'],
    ['{"filter":"value.note =="}', undefined],
  ])('refuses the body %j', async (body, parameter) => {
    expect(await ask(bearer(shop.key), body)).toMatchObject([
      ...[400, parameter === undefined ? { code: 'invalid_filter' } : { code: 'invalid_parameter', parameter }],
    ])
  })
})

test('no request made the gateway fail', () => {
  expect(shop.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
})

import type { Gateway, GatewayOptions } from '@headrace/server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { refusedUpgrade } from './clients/json-rpc-client.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 3)
})
afterAll(() => shop[Symbol.asyncDispose]())

/** A gateway that serves orders without a key. It never refills the requests of an address within a test. */
async function servePublic(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const keyless = { rate: 1, burst: 1000, topics: ['*_Order'] }
  const gateway = await shop.startAnother({ keyless, ...options })
  onTestFinished(() => gateway.close())
  return gateway
}

const get = (gateway: Gateway, path: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, { headers })
const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

describe('callers without a key', () => {
  test('read public topics, and only these', async () => {
    const gateway = await servePublic()
    const page = await get(gateway, `/api/v1/data/${orders}`, { origin: 'https://anyone.example' })
    expect(page.status).toBe(200)
    expect(page.headers.get('ratelimit-policy')).toBe('"ip";q=1000;w=1000')
    expect(page.headers.get('ratelimit')).toMatch(/^"ip";r=9\d\d;t=\d+$/)
    expect(page.headers.get('access-control-allow-origin')).toBe('https://anyone.example')
    const listed = (await (await get(gateway, '/api/v1/topics')).json()) as { topics: { topic: string }[] }
    expect(listed.topics.map(({ topic }) => topic)).toEqual([orders])
    for (const path of [`/api/v1/data/${returns}`, `/api/v1/topics/${returns}`])
      expect(await codeOf(await get(gateway, path))).toEqual([403, 'topic_forbidden'])
    expect(await codeOf(await get(gateway, '/api/v1/data/_headrace.keys'))).toEqual([403, 'topic_forbidden'])
    expect(await codeOf(await get(gateway, '/api/v1/usage'))).toEqual([401, 'missing_key'])
    const { paths } = (await (await get(gateway, '/api/v1/openapi.json')).json()) as {
      paths: Record<string, { get: { security: unknown[] } }>
    }
    expect(paths['/api/v1/topics']!.get.security).toContainEqual({})
    expect(paths['/api/v1/usage']!.get.security).not.toContainEqual({})
    const tokens = await fetch(`${gateway.url}/api/v1/tokens`, { method: 'POST' })
    expect(await codeOf(tokens)).toEqual([401, 'missing_key'])
    expect(await codeOf(await get(gateway, '/api/v1/topics', { authorization: 'Bearer x' }))).toEqual([
      401,
      'invalid_key',
    ])
  })

  test('get no live data, of public topics neither', async () => {
    const gateway = await servePublic()
    expect(await refusedUpgrade(`${gateway.url}/ws/v1`)).toMatchObject({
      status: 401,
      problem: { code: 'missing_key' },
    })
    expect(await codeOf(await get(gateway, `/sse/v1?topics=${orders}`))).toEqual([401, 'missing_key'])
  })

  test('are limited for each address, which only a trusted proxy may name', async () => {
    const keyless = { rate: 1, burst: 20, topics: ['*'] }
    const direct = await servePublic({ keyless })
    const behind = await servePublic({ keyless, trustedProxies: ['127.0.0.0/8'] })
    const served = async (gateway: Gateway, addressOf: (n: number) => string) => {
      const began = performance.now()
      const asked = Array.from({ length: 60 }, (_, n) =>
        get(gateway, '/api/v1/topics', { 'x-forwarded-for': addressOf(n) }),
      )
      const answers = await Promise.all(asked)
      const refused = answers.filter(({ status }) => status === 429)
      for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      return { served: 60 - refused.length, most: 20 + (performance.now() - began) / 1000 }
    }
    const [one, many] = [() => '192.0.2.1', (n: number) => `192.0.2.${n}`]
    for (const { served: count, most } of [await served(direct, many), await served(behind, one)]) {
      expect(count).toBeGreaterThanOrEqual(20)
      expect(count).toBeLessThanOrEqual(most)
    }
    expect((await served(behind, (n) => `203.0.113.${n}`)).served).toBe(60)
  })
})

test('a contact is in 401 and 429, and in the documents', async () => {
  const { key } = await shop.addKey({ origins: ['https://example.org'] })
  const gateway = await shop.startAnother({ contact: 'https://example.org/keys' })
  onTestFinished(() => gateway.close())
  await shop.waitForKey(gateway.url, key)
  const details = async (headers: Record<string, string>, path = `/api/v1/data/${orders}`) => {
    const response = await get(gateway, path, headers)
    return [response.status, ((await response.json()) as { detail: string }).detail]
  }
  const ending = expect.stringMatching(/\. Contact: https:\/\/example\.org\/keys$/)
  expect(await details({})).toEqual([429, ending])
  expect(await details({ authorization: 'Bearer x' })).toEqual([401, ending])
  expect(await details({ authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJhIjoxfQ.AAAA' })).toEqual([401, ending])
  expect(await details({}, '/ws/v1')).toEqual([401, ending])
  const forbidden = await details({ authorization: `Bearer ${key}`, origin: 'https://example.com' })
  expect(forbidden).toEqual([403, expect.not.stringContaining('Contact')])
  for (const name of ['openapi', 'asyncapi']) {
    const { info } = (await (await get(gateway, `/api/v1/${name}.json`)).json()) as { info: Record<string, unknown> }
    expect(info.contact).toEqual({ url: 'https://example.org/keys' })
    expect(info.description).toContain('beta')
  }
})

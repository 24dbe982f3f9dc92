import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../clients/json-rpc-client.ts'
import type { PageJson } from '../clients/shapes.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { openRawSocket } from './raw-socket.ts'
import { type Watch, watchShop } from './watch-shop.ts'

let shop: ServedShop
let watch: Watch
const limits = { headersMs: 1000, requestMs: 1000, sockets: 60 }

beforeAll(async () => {
  shop = await serveShop({ limits })
  await shop.publish(orders, 100, () => ({ note: 'x'.repeat(1000) }))
  watch = await watchShop(shop)
})
afterAll(async () => {
  await watch.finish()
  await shop[Symbol.asyncDispose]()
})

const head = (text: string) => `${text}\r\nHost: x\r\n`
const page = () => `GET /api/v1/data/${orders}?api_key=${shop.key} HTTP/1.1`

/** Sends bytes and returns all that the server sends until it closes the connection. */
async function answerTo(text: string): Promise<string> {
  using raw = await openRawSocket(shop.url)
  raw.socket.write(text)
  return await raw.readToEnd()
}

describe('a request that is too large is refused', () => {
  test('by its headers', async () => {
    const headers = Array.from({ length: 300 }, (_, n) => `X-Header-${n}: ${'x'.repeat(60)}\r\n`).join('')
    expect(await answerTo(`${head(page())}${headers}\r\n`)).toMatch(/^HTTP\/1\.1 431 [\s\S]*"code":"headers_too_large"/)
  })

  test('by one header that does not end', async () => {
    expect(await answerTo(`${head(page())}X-Long: ${'x'.repeat(20_000)}`)).toMatch(/^HTTP\/1\.1 431 /)
  })

  test('by its target', async () => {
    const target = `GET /${'x'.repeat(9000)} HTTP/1.1`
    expect(await answerTo(`${head(target)}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 414 /)
  })
})

describe('bytes that are not a request are refused', () => {
  test.each([
    ['bytes', '\u0000\u0001\u0002\u0003\r\n\r\n'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nX: y\r\n z\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  ])('%s', async (_what, text) => {
    expect(await answerTo(text)).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe.concurrent('a slow client', () => {
  test.for([
    ['that sends nothing', ''],
    ['that does not end its headers', head('GET /health/live HTTP/1.1')],
  ] as const)('%s is disconnected', async ([_what, text], { expect }) => {
    expect(await answerTo(text)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
  })

  test('with a body is answered at once, and disconnected', async ({ expect }) => {
    const answer = await answerTo(`${head(`POST /api/v1/data/${orders} HTTP/1.1`)}Content-Length: 1000\r\n\r\nx`)
    expect(answer).toMatch(/^HTTP\/1\.1 405 /)
  })

  test('among many that send byte by byte does not delay other clients', async ({ expect }) => {
    const slow = await Promise.all(Array.from({ length: 30 }, () => openRawSocket(shop.url)))
    const drip = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('X')
    }, 20)
    try {
      expect((await shop.get(`/api/v1/data/${orders}`)).status).toBe(200)
      const answers = await Promise.all(slow.map((raw) => raw.readToEnd()))
      expect(answers.every((answer) => /^HTTP\/1\.1 4\d\d /.test(answer))).toBe(true)
    } finally {
      clearInterval(drip)
    }
  })
})

describe('pipelined requests', () => {
  test('are answered in order', async () => {
    const limitsAsked = Array.from({ length: 100 }, (_, n) => n + 1)
    const requests = limitsAsked.map((limit) => {
      const target = `GET /api/v1/data/${orders}?limit=${limit}&api_key=${shop.key} HTTP/1.1`
      return `${head(target)}${limit === 100 ? 'Connection: close\r\n' : ''}\r\n`
    })
    const answer = await answerTo(requests.join(''))
    const bodies = [...answer.matchAll(/\r\n\r\n(\{.*?"hasMore":(?:true|false)\})/g)].map(
      ([, body]) => JSON.parse(body!) as PageJson,
    )
    expect(bodies.map(({ data }) => data.length)).toEqual(limitsAsked)
  })

  test('are not read while the client does not read the responses', async () => {
    // With the usual time for a request: the last one is read in part, and not further.
    const gateway = await shop.startAnother({ limits: {} })
    using raw = await openRawSocket(gateway.url)
    raw.socket.pause()
    const requests = Buffer.from(`${head(page())}\r\n`.repeat(1000))
    // The gateway stops reading, so further requests stay in this process.
    for (let n = 0; n < 150; n++) raw.socket.write(requests)
    const ask = () => fetch(`${gateway.url}/api/v1/data/${orders}?api_key=${shop.key}`)
    for (let n = 0; n < 20; n++) expect((await ask()).status).toBe(200)
    expect(raw.socket.writableLength).toBeGreaterThan(requests.length * 100)
    raw.socket.destroy()
    await gateway.close()
  })
})

describe('connections above the limit', () => {
  test('do not disturb open connections, and new ones are accepted when they are closed', async () => {
    const flood = await Promise.allSettled(Array.from({ length: 150 }, () => openRawSocket(shop.url)))
    // Some are closed at once, and silent ones after a timeout.
    await Promise.all(flood.map((each) => (each.status === 'fulfilled' ? each.value.readToEnd() : undefined)))
    using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
    expect((await client.call('ping')).result).toBe('pong')
  })

  test('of one key are refused, and do not count once closed', async () => {
    const { key } = await shop.addKey({ connections: 5, rate: 10_000, burst: 10_000 })
    const target = `${shop.url}/ws/v1?api_key=${key}`
    for (let round = 0; round < 2; round++) {
      const opened = await Promise.allSettled(Array.from({ length: 20 }, () => connect(target)))
      const clients = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      expect(clients).toHaveLength(5)
      for (const client of clients) client.ws.terminate()
      for (let status = 429; status !== 426; ) status = (await shop.get(`/ws/v1?api_key=${key}`, {})).status
    }
  })
})

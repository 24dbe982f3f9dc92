import { QueueUnavailableError } from '@headrace/queue'
import { expect, test } from 'vitest'
import { openRawSocket } from './attacks/raw-socket.ts'
import { orders, serveShop } from './shop/served-shop.ts'

async function healthOf(url: string): Promise<Readonly<Record<string, readonly [number, string]>>> {
  const ask = async (path: string) => {
    const response = await fetch(`${url}/health/${path}`)
    const { status, code } = (await response.json()) as { status: string; code?: string }
    return [response.status, code ?? status] as const
  }
  return { live: await ask('live'), ready: await ask('ready') }
}

test('a gateway is live and ready without a key', async () => {
  await using shop = await serveShop()
  expect(await healthOf(shop.url)).toEqual({ live: [200, 'live'], ready: [200, 'ready'] })
})

test('a gateway whose queue is unavailable is live and not ready, and is ready again afterwards', async () => {
  await using shop = await serveShop()
  let describe: typeof shop.queue.describe = shop.queue.describe
  const queue = { ...shop.queue, describe: (topics?: readonly string[]) => describe(topics) }
  const gateway = await shop.startAnother({ queue })
  for (const answer of [Promise.reject(new QueueUnavailableError('away')), new Promise<never>(() => undefined)]) {
    answer.catch(() => undefined)
    describe = () => answer
    expect(await healthOf(gateway.url)).toEqual({ live: [200, 'live'], ready: [503, 'overloaded'] })
  }
  describe = shop.queue.describe
  expect(await healthOf(gateway.url)).toEqual({ live: [200, 'live'], ready: [200, 'ready'] })
  await gateway.close()
})

test.each([
  ['live', 200],
  ['ready', 503],
])('a draining gateway answers /health/%s with %i on open connections', async (path, status) => {
  await using shop = await serveShop()
  using raw = await openRawSocket(shop.url)
  raw.socket.write(`GET /health/${path} HTTP/1.1\r\nHost: x\r\n`)
  // When this is answered, the gateway has received all earlier requests.
  await shop.get('/health/live')
  const closing = shop.gateway.close()
  raw.socket.write('\r\n')
  expect(await raw.readToEnd()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  await closing
})

test('a draining gateway does not wait for clients that send further requests or never end', async () => {
  await using shop = await serveShop({ limits: { drainMs: 200 } })
  for (let n = 0; n < 10; n++) await shop.publish(orders, 50, () => ({ note: 'x'.repeat(16_000) }))
  using stuck = await openRawSocket(shop.url)
  stuck.socket.pause()
  stuck.socket.write(`GET /api/v1/data/${orders}?format=ndjson&api_key=${shop.key} HTTP/1.1\r\nHost: x\r\n\r\n`)
  using half = await openRawSocket(shop.url)
  half.socket.write('GET /health/live HTTP/1.1\r\n')
  await shop.get('/health/live')
  await shop.gateway.close()
  await half.readToEnd()
})

import { Pool } from 'undici'
import type { OpenSuite } from '../bench.ts'
import { type Program, startProgram, type Usage } from '../program.ts'
import type { BenchGateway } from './gateway.ts'

const connections = 8

/** Pages of 100 records over REST, against fastify, which sends the bytes of such a page. */
export async function openPages(gateway: BenchGateway, durationMs: number): Promise<OpenSuite> {
  const { url, key, orders, adopted } = gateway
  const opened = new AsyncDisposableStack()
  const peer = opened.use(await startProgram('reading/page'))
  const dutiful = opened.use(await startProgram('reading/page'))
  const connect = (origin: string) => opened.adopt(new Pool(origin, { connections }), (pool) => pool.destroy())
  const peerPool = connect(await peer.call<string>('url'))
  const dutifulPool = connect(await dutiful.call<string>('url'))
  const pool = connect(url)
  const headers = { authorization: `Bearer ${key}` }
  const accepting = { ...headers, 'accept-encoding': 'gzip' }
  const newest = `/api/v1/data/${orders.topic}`
  const { body: page } = await get(pool, newest, headers)
  const { body: gzip } = await get(pool, newest, accepting)
  await Promise.all([peer, dutiful].map((program) => program.call('take', { page, gzip, key })))

  const first = read(await get(pool, `${newest}?view=log&order=asc`, headers))
  const sealed = `${newest}?view=log&order=asc&cursor=${first.nextCursor}`
  const { tag } = await get(pool, sealed, headers)
  /** Reads the history of a topic page by page, repeatedly. */
  const cold = (topic: string) => {
    let cursor = ''
    return () =>
      rate(gateway.program, 1, async () => {
        const path = `/api/v1/data/${topic}?view=log&order=asc${cursor}`
        const { nextCursor, hasMore } = read(await get(pool, path, headers))
        cursor = hasMore ? `&cursor=${nextCursor}` : ''
      })
  }
  const ready = () => get(peerPool, '/page', {})
  const readyAsOurs = () => get(dutifulPool, '/as-ours', headers)
  const ours = (path: string, sent: Record<string, string>) => () =>
    rate(gateway.program, connections, () => get(pool, path, sent))
  return {
    benches: [
      {
        name: 'REST, page of 100 records, hot',
        unit: 'pages/s of CPU',
        better: 'higher',
        contestants: {
          ours: ours(newest, headers),
          fastify: () => rate(peer, connections, ready),
          'fastify, same duties': () => rate(dutiful, connections, readyAsOurs),
        },
        targets: { fastify: 0.6 },
      },
      {
        name: 'the same with Accept-Encoding: gzip',
        unit: 'pages/s of CPU',
        better: 'higher',
        contestants: {
          ours: ours(newest, accepting),
          fastify: () => rate(peer, connections, () => get(peerPool, '/gzip', {})),
        },
        targets: { fastify: 0.85 },
      },
      {
        name: 'REST, 304 of a sealed page',
        unit: 'answers/s of CPU',
        better: 'higher',
        contestants: { ours: ours(sealed, { ...headers, 'if-none-match': tag }), 'in full': ours(sealed, headers) },
        targets: { 'in full': 2 },
      },
      {
        name: 'REST, page of 100 records, cold',
        unit: 'pages/s of CPU',
        better: 'higher',
        contestants: { ours: cold(orders.topic), fastify: () => rate(peer, 1, ready) },
        targets: {},
      },
      {
        name: 'REST, page of 100 records of an adopted topic, cold',
        unit: 'pages/s of CPU',
        better: 'higher',
        contestants: { ours: cold(adopted), 'published records': cold(orders.topic) },
        targets: {},
      },
    ],
    close: () => opened.disposeAsync(),
  }

  /** Requests per second of the server's CPU time. */
  async function rate(server: Program, lanes: number, request: () => Promise<unknown>): Promise<number> {
    const before = await server.call<Usage>('usage')
    const end = performance.now() + durationMs
    let count = 0
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (; performance.now() < end; count++) await request()
      }),
    )
    return (count * 1000) / ((await server.call<Usage>('usage')).cpuMs - before.cpuMs)
  }
}

interface Answer {
  readonly body: Buffer
  readonly tag: string
}

async function get(pool: Pool, path: string, headers: Record<string, string>): Promise<Answer> {
  const { statusCode, headers: answered, body } = await pool.request({ method: 'GET', path, headers })
  const bytes = Buffer.from(await body.arrayBuffer())
  if (statusCode !== (headers['if-none-match'] ? 304 : 200)) throw new Error(`${path}: ${statusCode} ${bytes}`)
  return { body: bytes, tag: `${answered.etag}` }
}

function read({ body }: Answer): { nextCursor: string; hasMore: boolean } {
  return JSON.parse(body.toString())
}

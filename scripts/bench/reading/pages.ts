import { Pool } from 'undici'
import type { OpenSuite } from '../bench.ts'
import { type Program, startProgram, type Usage } from '../program.ts'
import type { BenchGateway } from './gateway.ts'

const connections = 8

/** Pages of 100 records over REST, against fastify, which sends the bytes of such a page. */
export async function openPages(gateway: BenchGateway, durationMs: number): Promise<OpenSuite> {
  const { url, key, orders } = gateway
  const opened = new AsyncDisposableStack()
  const peer = opened.use(await startProgram('reading/page'))
  const dutiful = opened.use(await startProgram('reading/page'))
  const connect = (origin: string) => opened.adopt(new Pool(origin, { connections }), (pool) => pool.destroy())
  const peerPool = connect(await peer.call<string>('url'))
  const dutifulPool = connect(await dutiful.call<string>('url'))
  const pool = connect(url)
  const headers = { authorization: `Bearer ${key}` }
  const newest = `/api/v1/data/${orders.topic}`
  const page = await get(pool, newest, headers)
  await Promise.all([peer, dutiful].map((program) => program.call('take', { page, key })))

  let cursor = ''
  /** Reads the history page by page, repeatedly. */
  const nextCold = async () => {
    const { nextCursor, hasMore } = JSON.parse(
      (await get(pool, `${newest}?view=log&order=asc${cursor}`, headers)).toString(),
    ) as { nextCursor: string; hasMore: boolean }
    cursor = hasMore ? `&cursor=${nextCursor}` : ''
  }
  const ready = () => get(peerPool, '/page', {})
  const readyAsOurs = () => get(dutifulPool, '/as-ours', headers)
  return {
    benches: [
      {
        name: 'REST, page of 100 records, hot',
        unit: 'pages/s of CPU',
        better: 'higher',
        contestants: {
          ours: () => rate(gateway.program, connections, () => get(pool, newest, headers)),
          fastify: () => rate(peer, connections, ready),
          'fastify, same duties': () => rate(dutiful, connections, readyAsOurs),
        },
        targets: { fastify: 0.85 },
      },
      {
        name: 'REST, page of 100 records, cold',
        unit: 'pages/s of CPU',
        better: 'higher',
        contestants: { ours: () => rate(gateway.program, 1, nextCold), fastify: () => rate(peer, 1, ready) },
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

async function get(pool: Pool, path: string, headers: Record<string, string>): Promise<Buffer> {
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
  const bytes = Buffer.from(await body.arrayBuffer())
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${bytes}`)
  return bytes
}

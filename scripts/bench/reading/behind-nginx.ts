import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { missingNginxFile, startNginx } from '../../../packages/testbed/nginx/start-nginx.ts'
import type { Bench, OpenSuite } from '../bench.ts'
import { childrenOf, cpuOf } from '../linux-process.ts'
import type { Usage } from '../program.ts'
import type { BenchGateway } from './gateway.ts'

const connections = 8
const pages = 20

/** Sealed pages from the cache of nginx, as `docs/guides/caching.md` configures it. Needs Linux for its CPU time. */
export async function openBehindNginx(gateway: BenchGateway, durationMs: number): Promise<OpenSuite> {
  if (missingNginxFile) {
    console.log(`reading: without nginx, because there is no ${missingNginxFile}.`)
    return { benches: [], close: async () => undefined }
  }
  const { url, key, orders } = gateway
  const opened = new AsyncDisposableStack()
  const nginx = opened.use(await startNginx({ page: 'caching.md', gateways: { '127.0.0.1:8080': new URL(url).host } }))
  const alone = opened.adopt(new Pool(url, { connections }), (pool) => pool.destroy())
  const cached = opened.adopt(new Pool(nginx.url, { connections }), (pool) => pool.destroy())
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'gzip' }
  const paths = await sealedPaths()
  const cpuOfGateway = async () => (await gateway.program.call<Usage>('usage')).cpuMs
  const cpuOfBoth = async () => (await cpuOfGateway()) + (await cpuOfChildren(nginx.pid))
  const benches: Bench[] = [
    {
      name: 'REST, sealed pages from nginx, gzip',
      unit: 'pages/s of CPU',
      better: 'higher',
      contestants: {
        ours: () => rate(cached, cpuOfBoth),
        'the gateway alone': () => rate(alone, cpuOfGateway),
      },
      targets: { 'the gateway alone': 5 },
    },
    {
      name: 'the same, requests to the gateway',
      unit: 'per page',
      better: 'lower',
      contestants: { ours: requestsPerPage },
      targets: {},
    },
  ]
  return { benches, close: () => opened.disposeAsync() }

  async function sealedPaths(): Promise<string[]> {
    const found: string[] = []
    const base = `/api/v1/data/${orders.topic}?view=log&order=asc`
    for (let cursor = ''; found.length <= pages; ) {
      const { body } = await alone.request({
        method: 'GET',
        path: base + cursor,
        headers: { ...headers, 'accept-encoding': 'identity' },
      })
      cursor = `&cursor=${((await body.json()) as { nextCursor: string }).nextCursor}`
      found.push(base + cursor)
    }
    return found.slice(0, pages)
  }

  /** Pages per second of CPU time. */
  async function rate(pool: Pool, cpu: () => Promise<number>): Promise<number> {
    const before = await cpu()
    const count = await requestFor(pool)
    return (count * 1000) / ((await cpu()) - before)
  }

  async function requestsPerPage(): Promise<number> {
    const before = await gateway.program.call<number>('requests')
    const count = await requestFor(cached)
    return ((await gateway.program.call<number>('requests')) - before) / count
  }

  async function requestFor(pool: Pool): Promise<number> {
    const end = performance.now() + durationMs
    let count = 0
    await Promise.all(
      Array.from({ length: connections }, async (_, lane) => {
        for (let n = lane; performance.now() < end; n++, count++) {
          const { statusCode, body } = await pool.request({ method: 'GET', path: paths[n % pages]!, headers })
          await body.arrayBuffer()
          if (statusCode !== 200) throw new Error(`nginx or the gateway answered ${statusCode}.`)
        }
      }),
    )
    // Closed connections and the log entries of the last pages.
    await wait(100)
    return count
  }
}

/** Of the children of a process, user and system, in ms. */
async function cpuOfChildren(pid: number): Promise<number> {
  const times = await Promise.all((await childrenOf(pid)).map(cpuOf))
  return times.reduce((sum, time) => sum + time, 0)
}

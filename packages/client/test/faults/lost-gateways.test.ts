import { createClient } from '@headrace/client'
import { openQueue } from '@headrace/queue'
import { createKey } from '@headrace/server'
import { expect, test } from 'vitest'
import { numbers } from '../../../server/test/clients/shapes.ts'
import { type GatewayProcess, startGatewayProcess } from '../../../server/test/programs/gateway-process.ts'
import { openShop } from '../../../server/test/shop/shop.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { missingHaproxyFile, startHaproxy } from '../../../testbed/haproxy/start-haproxy.ts'
import { createMachines } from '../../../testbed/namespaces/machines.ts'
import { missingNginxFile, startNginx } from '../../../testbed/nginx/start-nginx.ts'
import { reportSkipped } from '../../../testbed/skipped-tests.ts'
import { engines } from '../engines.ts'

const faults = ['killed', 'drained', 'unreachable'] as const
const readersOfEach = 6
const port = 8080
/** A reader notices after 7 s that it gets nothing. */
const limits = { heartbeatMs: 1000 }

const missing = missingHaproxyFile ?? missingNginxFile
if (missing) reportSkipped('Proxy', `there is no ${missing}`)
const machines = missing ? { unavailable: missing } : await createMachines(3)
// Most containers may not create network namespaces.
if ('unavailable' in machines) console.error(`The readers behind proxies are not tested: ${machines.unavailable}.`)

test.skipIf('unavailable' in machines)(
  'readers behind the proxies of docs/guides/scale.md neither miss nor repeat a record, however they lose gateways',
  async () => {
    if ('unavailable' in machines) return
    const steps = faults.flatMap((fault) => ['HAProxy', 'nginx'].map((proxy) => `${fault} behind ${proxy}`))
    const plan = planFaults('lost gateways', { once: 3, scaled: 3, full: 60 }, steps)
    await using resources = new AsyncDisposableStack()
    resources.use(machines)
    const { queueUrl, topic } = resources.use(await engines[0]!.open())
    const queue = await openQueue(queueUrl)
    resources.defer(() => queue.close())
    const shop = await openShop(queue, [topic])
    const { key: apiKey } = await createKey(queue, { name: 'readers', environment: 'development', connections: 1000 })
    const start = (n: number) => startGatewayProcess({ queueUrl, port, limits, machine: machines.list[n]! })
    const gateways: GatewayProcess[] = await Promise.all(machines.list.map((_, n) => start(n)))
    resources.defer(async () => {
      for (const gateway of gateways) await gateway.kill()
    })
    const places = machines.list.map(({ address }, n) => [`10.0.0.1${n + 1}:8080`, `${address}:${port}`])
    const haproxy = resources.use(await startHaproxy(Object.fromEntries(places)))
    const nginx = resources.use(await startNginx({ page: 'scale.md', gateways: Object.fromEntries(places) }))

    const stop = new AbortController()
    let published = 0
    const publishing = (async () => {
      for (; !stop.signal.aborted; await new Promise((resolve) => setTimeout(resolve, 20))) {
        const count = 1 + plan.random.integer(4)
        await shop.publish(topic, count)
        published += count
      }
    })()
    resources.defer(async () => {
      stop.abort()
      await publishing
    })
    const readers = [
      { proxy: 'HAProxy', url: haproxy.url },
      { proxy: 'nginx', url: nginx.url },
    ].flatMap((behind) =>
      (['websocket', 'sse'] as const).flatMap((transport) =>
        Array.from({ length: readersOfEach }, () => startReader({ ...behind, transport, topic, apiKey })),
      ),
    )
    resources.defer(async () => {
      for (const reader of readers) await reader.end()
    })
    await haveRead(1)

    for (let fault = 0; fault < plan.count; fault++) {
      const how = faults[fault % faults.length]!
      const lost = fault % gateways.length
      await expect.poll(() => connectionsOf(gateways[lost]!)).toBeGreaterThan(0)
      const before = readers.map(({ failures }) => failures.length)
      if (how === 'killed') await gateways[lost]!.kill()
      else if (how === 'drained') await gateways[lost]!.stop()
      else await machines.list[lost]!.setLink('down')
      await haveRead(published + 1)
      for (const [n, { proxy, failures }] of readers.entries()) {
        const [first] = failures.slice(before[n])
        if (first === undefined) continue
        plan.hit(`${how} behind ${proxy}`)
        // Nothing else reports that the connection is gone.
        if (how === 'unreachable') expect(first).toBe('The gateway sent nothing for too long.')
      }
      const others = gateways.filter((_, n) => n !== lost)
      const openAtOthers = async () => (await Promise.all(others.map(connectionsOf))).reduce((sum, open) => sum + open)
      await expect.poll(openAtOthers).toBe(readers.length)
      if (how === 'unreachable') await machines.list[lost]!.setLink('up')
      else gateways[lost] = await start(lost)
    }
    stop.abort()
    await publishing
    await haveRead(published)
    for (const { seqs } of readers) expect(seqs).toEqual(numbers(0, published))
    expect(haproxy.log()).toContain('GET /sse/v1 200')
    expect(haproxy.log()).not.toContain(apiKey.slice(8))
    plan.expectAllHit()

    async function haveRead(count: number): Promise<void> {
      for (const reader of readers) await reader.hasRead(count)
    }
  },
)

interface ReaderOptions {
  /** In front of the gateways. */
  readonly proxy: string
  readonly url: string
  readonly transport: 'websocket' | 'sse'
  readonly topic: string
  readonly apiKey: string
}

interface Reader {
  readonly proxy: string
  readonly seqs: readonly number[]
  /** Why it has lost its connections, or got none. */
  readonly failures: readonly string[]
  /** Resolves when it has read that number of records. Throws if it has failed. */
  hasRead(count: number): Promise<void>
  end(): Promise<void>
}

function startReader({ proxy, url, transport, topic, apiKey }: ReaderOptions): Reader {
  const seqs: number[] = []
  const failures: string[] = []
  const onRetry = ({ error }: { error: Error }) => void failures.push(error.message)
  const client = createClient({ url, apiKey, transport, onRetry })
  const stop = new AbortController()
  let advanced = Promise.withResolvers<void>()
  const reading = (async () => {
    for await (const { records } of client.subscribe({ topics: [topic], from: 'earliest', signal: stop.signal })) {
      seqs.push(...records.map(({ seq }) => Number(seq)))
      advanced.resolve()
      advanced = Promise.withResolvers()
    }
  })()
  reading.catch(() => {})
  return {
    proxy,
    seqs,
    failures,
    async hasRead(count) {
      while (seqs.length < count) await Promise.race([advanced.promise, reading])
    },
    async end() {
      stop.abort()
      await reading.catch(() => {})
    },
  }
}

async function connectionsOf(gateway: GatewayProcess): Promise<number> {
  return (await gateway.state()).connections
}

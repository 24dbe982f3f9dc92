import { createClient } from '@headrace/client'
import { openQueue } from '@headrace/queue'
import { createKey } from '@headrace/server'
import { describe, expect, test } from 'vitest'
import { openLine } from '../../../server/test/clients/line.ts'
import { numbers } from '../../../server/test/clients/shapes.ts'
import { startGatewayProcess } from '../../../server/test/programs/gateway-process.ts'
import { openShop } from '../../../server/test/shop/shop.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { freePorts } from '../../../testbed/kafka/free-ports.ts'
import { engines } from '../engines.ts'

const steps = ['gateway killed', 'gateway stopped', 'cut inside a message', 'reader killed'] as const

for (const engine of engines) {
  const transport = engine.name === 'Kafka' ? 'websocket' : 'sse'
  describe.skipIf(engine.missing)(`a reader over ${transport} of ${engine.name}`, () => {
    test('neither misses nor repeats a record, whatever breaks', { timeout: 20 * 60_000 }, async () => {
      const name = `reader over ${transport} of ${engine.name}`
      const plan = planFaults(name, { once: 4, scaled: 4, full: 400 }, steps)
      await using resources = new AsyncDisposableStack()
      const { queueUrl, topic } = resources.use(await engine.open())
      const queue = await openQueue(queueUrl)
      resources.defer(() => queue.close())
      const shop = await openShop(queue, [topic])
      const { key: apiKey } = await createKey(queue, { name: 'reader', environment: 'development' })
      const [port] = await freePorts(1)
      let gateway = await startGatewayProcess({ queueUrl, port: port! })
      resources.defer(() => gateway.kill())
      const line = resources.use(await openLine(port!))
      const client = createClient({ url: line.url, apiKey, transport })

      const stop = new AbortController()
      let published = 0
      const publishing = (async () => {
        for (; !stop.signal.aborted; await new Promise((resolve) => setTimeout(resolve, 5))) {
          const count = 1 + plan.random.integer(20)
          await shop.publish(topic, count)
          published += count
        }
      })()
      resources.defer(async () => {
        stop.abort()
        await publishing
      })

      // The reader stores records and cursor together.
      const stored = { seqs: [] as number[], cursor: undefined as string | undefined }
      let advanced = Promise.withResolvers<void>()
      let reading = read()
      for (let fault = 0; fault < plan.count; fault++) {
        const before = published
        const step = steps[fault % steps.length]!
        if (step === 'reader killed') {
          reading.kill()
          reading = read()
        } else if (step === 'cut inside a message') await line.cutAfter(1 + plan.random.integer(20_000))
        else {
          await (step === 'gateway killed' ? gateway.kill() : gateway.stop())
          gateway = await startGatewayProcess({ queueUrl, port: port! })
        }
        plan.hit(step)
        await readUpTo(before + 1)
      }
      stop.abort()
      await publishing
      await readUpTo(published)
      reading.kill()
      expect(stored.seqs).toEqual(numbers(0, published))
      plan.expectAllHit()

      function read(): { kill(): void } {
        let alive = true
        const end = new AbortController()
        const run = async () => {
          for await (const batch of client.follow({ topics: [topic], from: stored.cursor, signal: end.signal })) {
            if (!alive) return
            stored.seqs.push(...batch.records.map(({ seq }) => Number(seq)))
            stored.cursor = batch.cursor
            advanced.resolve()
            advanced = Promise.withResolvers()
          }
        }
        run().catch((error) => alive && advanced.reject(error))
        return {
          kill() {
            alive = false
            end.abort()
          },
        }
      }

      async function readUpTo(count: number): Promise<void> {
        while (stored.seqs.length < count) await advanced.promise
      }
    })
  })
}

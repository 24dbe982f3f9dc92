import { createClient } from '@headrace/client'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RecordJson } from '../../../server/test/clients/shapes.ts'
import { applied, type Chain, type ChainUnit, canonicalNames, openChain } from '../../../server/test/shop/chain.ts'
import { type ServedShop, serveShop } from '../../../server/test/shop/served-shop.ts'
import { uniqueTopic } from '../../../server/test/shop/unique-topic.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { Random } from '../../../testbed/random.ts'
import { isCanonicalCursor } from '../../src/position.ts'

/** Each transport, engine and number of partitions once. The simulation covers the combinations. */
const cases = [
  { engine: 'the embedded engine', transport: 'sse', partitions: 1, queueUrl: undefined },
  { engine: 'Kafka', transport: 'websocket', partitions: 3, queueUrl: inject('kafka') && `kafka://${inject('kafka')}` },
] as const

describe.each(cases.filter(({ queueUrl }) => queueUrl !== null))(
  'on $engine, over $transport',
  ({ engine, transport, partitions, queueUrl }) => {
    let shop: ServedShop
    beforeAll(async () => {
      shop = await serveShop({ ...(queueUrl && { queueUrl }), topics: [uniqueTopic()] })
    })
    afterAll(() => shop[Symbol.asyncDispose]())

    test('a store that follows a topic holds the canonical records, whenever its reader is killed', async () => {
      const name = `reader over ${transport} of ${partitions} partitions on ${engine}`
      const plan = planFaults(name, { once: 6, scaled: 12, full: 600 }, ['in history', 'live'])
      const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions })
      await shop.waitForTopic(chain.topic)
      // The canonical history has more pages than the first readers read before they are killed.
      for (let n = 0; n < 120; n++) await publish(chain, plan.random, 100)

      const client = createClient({ url: shop.url, apiKey: shop.key, transport })
      const store = { held: new Set<string>(), cursor: undefined as string | undefined }
      for (let fault = 0; fault < plan.count; fault++) {
        // Every second reader starts from the beginning, so that half of them are killed in the history.
        if (fault % 2 === 0) Object.assign(store, { held: new Set(), cursor: undefined })
        const batches = 1 + plan.random.integer(3)
        const isToBeLive = fault % 2 === 1
        let taken = 0
        for await (const { records, cursor } of client.follow({ topics: [chain.topic], from: store.cursor })) {
          applied(records as readonly RecordJson[], store.held)
          store.cursor = cursor
          await publish(chain, plan.random, 20)
          if ((!isToBeLive || !isCanonicalCursor(cursor)) && ++taken === batches) break
        }
        plan.hit(isCanonicalCursor(store.cursor!) ? 'in history' : 'live')
      }

      const truth = canonicalNames(chain, chain.head()).toSorted()
      for await (const { records } of client.follow({ topics: [chain.topic], from: store.cursor })) {
        applied(records as readonly RecordJson[], store.held)
        if (store.held.size === truth.length && truth.every((each) => store.held.has(each))) break
      }
      expect([...store.held].sort()).toEqual(truth)
      plan.expectAllHit()
    })
  },
)

/** Publishes units, one of which may revert others. */
function publish(chain: Chain, random: Random, records: number): Promise<void> {
  const partitions = chain.log.length
  const unit = (): ChainUnit => ({
    partitions: Array.from({ length: 1 + random.integer(records) }, () => random.integer(partitions)),
    revertUnits: random.integer(3) === 0 ? 1 + random.integer(3) : 0,
  })
  return chain.publish(...Array.from({ length: 1 + random.integer(3) }, unit))
}

import { randomBytes, randomUUID } from 'node:crypto'
import { reorganisationsPartition, systemTopics } from '@headrace/catalog'
import { openQueue, type Transaction } from '@headrace/queue'
import { describe, expect, inject, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { PageJson, ProblemJson } from '../clients/shapes.ts'
import { canonicalNames, nameOf, openChain } from '../shop/chain.ts'
import { type ServedShop, serveShop } from '../shop/served-shop.ts'
import { uniqueTopic } from '../shop/unique-topic.ts'

const kafka = inject('kafka')

describe.skipIf(kafka === null)(
  'a reorganisation that is visible in the topic before it is in "_headrace.reorgs"',
  () => {
    const endings = ['commit', 'abort'] as const

    test('is waited for, and no reverted record is served as canonical', async () => {
      const plan = planFaults('reorganisation held back', { once: 2, scaled: 6, full: 400 }, endings)
      await using shop = await serve()
      for (let round = 0; round < plan.count; round++) {
        const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions: 1 + (round % 2) })
        await shop.waitForTopic(chain.topic)
        await chain.publish({ partitions: [0, 0, 0] }, { partitions: [0, 0] })
        const other = await holdBack(chain.topic)
        await chain.publish({ partitions: [0], revertUnits: 1 })
        const asked = names(shop, chain.topic, plan.random.pick(['asc', 'desc']))
        const ending = endings[round % endings.length]!
        await other[ending]()
        expect((await asked).sort()).toEqual(canonicalNames(chain, chain.head()).sort())
        plan.hit(ending)
      }
      plan.expectAllHit()
    })

    test('answers "overloaded" while it lasts, and is served afterwards', async () => {
      await using shop = await serve()
      const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions: 1 })
      await shop.waitForTopic(chain.topic)
      await chain.publish({ partitions: [0, 0] })
      const before = await names(shop, chain.topic, 'asc')
      const other = await holdBack(chain.topic)
      // A request as of the same head does not wait.
      expect(await names(shop, chain.topic, 'desc')).toEqual(before.toReversed())
      await chain.publish({ partitions: [0], revertUnits: 1 })
      const response = await shop.get(`/api/v1/data/${chain.topic}`)
      expect(response.status).toBe(503)
      expect((await response.json()) as ProblemJson).toMatchObject({ code: 'overloaded' })
      expect(await shop.json(`/api/v1/data/${chain.topic}?view=log`)).toHaveProperty('data.length', 5)
      await other.abort()
      expect(await names(shop, chain.topic, 'asc')).toEqual(canonicalNames(chain, chain.head()))
    })

    const serve = () => serveShop({ queueUrl: `kafka://${kafka}`, topics: [uniqueTopic()] })
  },
)

/** Opens a transaction of another connector, whose records precede the next ones of the topic's writer. */
async function holdBack(topic: string): Promise<Transaction> {
  const queue = await openQueue(`kafka://${kafka}`)
  const writer = await queue.openWriter({ id: `other-${randomUUID()}`, claim: 'one' })
  const transaction = writer.begin()
  const partition = reorganisationsPartition(`${topic.split('.').slice(0, 3).join('.')}/main`)
  const place = { topic: systemTopics.reorgs, partition }
  const before = await queue.highWatermark(place.topic, partition)
  const interval = {
    topic: 'other',
    partition: 0,
    first: 0,
    last: 0,
    unit: 1,
    filler: randomBytes(20_000).toString('hex'),
  }
  // Enough that the writer has sent some of them.
  for (let first = 0; first < 40; first++)
    transaction.send({
      ...place,
      key: Buffer.from(`other/0/${first}`),
      value: Buffer.from(JSON.stringify({ ...interval, first, last: first })),
      time: Date.now(),
    })
  await expect.poll(() => queue.highWatermark(place.topic, partition), { timeout: 20_000 }).toBeGreaterThan(before)
  const ended = async (end: () => Promise<void>) => {
    await end()
    await queue.close()
  }
  return {
    ...transaction,
    commit: () => ended(() => transaction.commit()),
    abort: () => ended(() => transaction.abort()),
  }
}

async function names(shop: ServedShop, topic: string, order: string): Promise<string[]> {
  const page = await shop.json<PageJson>(`/api/v1/data/${topic}?limit=1000&order=${order}`)
  return page.data.map(({ partition, seq }) => nameOf({ partition, seq: Number(seq) }))
}

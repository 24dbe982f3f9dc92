import { createClient } from '@headrace/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, canonicalNames, nameOf, openChain } from '../../server/test/shop/chain.ts'
import { type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { takeUntil } from './reading.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

/** A chain of 90 units, or of another multiple of 10, some of them reverted. */
async function open(topic: string, partitions: number, units = 90): Promise<Chain> {
  const chain = await openChain(shop.queue, { topic, partitions })
  await shop.waitForTopic(topic)
  const records = Array.from({ length: 7 }, (_, n) => n % partitions)
  for (let n = 0; n < units / 10; n++)
    await chain.publish(
      { partitions: records, revertUnits: n % 4 === 3 ? 2 : 0 },
      ...Array(9).fill({ partitions: records }),
    )
  return chain
}

const reorganise = (chain: Chain) => chain.publish({ partitions: [0, 0], revertUnits: 5 }, { partitions: [0] })

test.each([1, 3])(
  'the canonical records of %i partitions are read as of the first page, whatever is reverted later',
  async (partitions) => {
    const chain = await open(`acme.shop.1_0_0.canonical${partitions}_Order`, partitions)
    const client = createClient({ url: shop.url, apiKey: shop.key })
    for (const order of ['asc', 'desc'] as const) {
      const head = chain.head()
      const truth = canonicalNames(chain, head)
      const pages = await takeUntil(
        client.history({ topic: chain.topic, order, pageSize: 60 }),
        () => false,
        () => reorganise(chain),
      )
      const records = pages.flatMap(({ records }) => records)
      expect(pages.length).toBeGreaterThan(5)
      expect(records.map(({ partition, seq }) => nameOf({ partition, seq: Number(seq) }))).toEqual(
        order === 'asc' ? truth : truth.toReversed(),
      )
    }
  },
)

test('the log is read up to its end at the first page, including reverted records', async () => {
  const chain = await open('acme.shop.1_0_0.log_Order', 1)
  const client = createClient({ url: shop.url, apiKey: shop.key })
  const expected = chain.log[0]!.map(({ seq, reverts }) => [`${seq}`, reverts === undefined ? undefined : `${reverts}`])
  const pages = await takeUntil(
    client.history({ topic: chain.topic, view: 'log', pageSize: 60 }),
    () => false,
    () => reorganise(chain),
  )
  const records = pages.flatMap(({ records }) => records)
  expect(records.map((record) => [record.seq, record.op === 'revert' ? record.reverts : undefined])).toEqual(expected)
})

test('records that were read before a gap are reverted after it', async () => {
  const chain = await open('acme.shop.1_0_0.skipped_Order', 1, 300)
  const client = createClient({ url: shop.url, apiKey: shop.key })
  const held = new Set<string>()
  let gaps = 0
  await takeUntil(
    client.follow({ topics: [chain.topic], onGap: 'skip' }),
    ({ records }) => records.at(-1)?.seq === `${chain.head()[0]! - 1}`,
    async ({ records, gap }) => {
      if (gap) gaps++
      for (const record of records) {
        if (record.op === 'revert') held.delete(record.reverts)
        else held.add(record.seq!)
      }
      if (gaps > 0 || chain.log[0]!.at(-1)!.unit > 300) return
      const [before] = await shop.queue.describe([chain.topic])
      await chain.publish({ partitions: [0], revertUnits: 300 })
      await shop.queue.deleteBefore(chain.topic, 0, before!.partitions[0]!.end)
    },
  )
  expect(gaps).toBe(1)
  expect([...held].map((seq) => nameOf({ partition: 0, seq: Number(seq) }))).toEqual(
    canonicalNames(chain, chain.head()),
  )
})

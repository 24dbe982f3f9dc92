import { describe, expect, inject, test } from 'vitest'
import { type FaultPlan, planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { Gateway } from '../../src/gateway.ts'
import type { PageJson } from '../clients/shapes.ts'
import { type Chain, type ChainUnit, canonicalNames, openChain } from '../shop/chain.ts'
import { type ServedShop, serveShop } from '../shop/served-shop.ts'
import { uniqueTopic } from '../shop/unique-topic.ts'
import { type CarefulReader, createCarefulReader, readStream } from './careful-reader.ts'

const kafka = inject('kafka')
const engines = [
  { engine: 'embedded', queueUrl: undefined },
  { engine: 'Kafka', queueUrl: kafka === null ? null : `kafka://${kafka}` },
].filter(({ queueUrl }) => queueUrl !== null)
const cases = engines.map((engine) => ({ ...engine, partitions: engine.queueUrl === undefined ? 1 : 3 }))

const steps = ['committed', 'aborted', 'reverted', 'switched to live', 'reconnected', 'other gateway']

describe.each(cases)('$engine, $partitions partitions', ({ engine, queueUrl, partitions }) => {
  test('a reader switches from history to live during reorganisations, and holds the canonical records', async () => {
    const plan = planFaults(`hand-over ${engine} ${partitions}`, { once: 12, scaled: 24, full: 3000 }, steps)
    // Little memory, so that readers switch between history and feed.
    const limits = { feedBytes: 20_000, historyBytes: 200_000 }
    const topics = [uniqueTopic()]
    await using shop = await serveShop({ ...(queueUrl && { queueUrl }), limits, topics })
    const gateways = [shop.gateway, await shop.startAnother()]
    // The chain is bounded, since every reader reads all of it.
    for (let done = 0; done < plan.count; done += readersOfChain) {
      const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions })
      await shop.waitForTopic(chain.topic)
      await readWhilePublishing(shop, gateways, chain, plan)
    }
    await gateways[1]!.close()
    plan.expectAllHit()
  })
})

const readersOfChain = 12
let returns = 0

async function readWhilePublishing(
  shop: ServedShop,
  gateways: readonly Gateway[],
  chain: Chain,
  plan: FaultPlan,
): Promise<void> {
  await publishRandomly(chain, plan, 40)
  let isOver = false
  const publishing = (async () => {
    while (!isOver) await publishRandomly(chain, plan, 1)
  })()
  const readers = Array.from({ length: readersOfChain }, () => readOnce(shop, gateways, chain, plan))
  const read = await Promise.all(readers).finally(() => {
    isOver = true
  })
  await publishing
  for (const { held, next } of read) {
    const head = chain.log.map((_, partition) => next[partition] ?? 0)
    expect([...held].sort()).toEqual(canonicalNames(chain, head).sort())
  }
}

async function readOnce(
  shop: ServedShop,
  gateways: readonly Gateway[],
  chain: Chain,
  plan: FaultPlan,
): Promise<CarefulReader> {
  const { random } = plan
  const { key } = shop
  const { topic } = chain
  const reader = createCarefulReader(topic)
  await readHistory(shop, chain, plan, reader.takeHistory)
  plan.hit('switched to live')
  const target = chain.head().map((length) => length + random.integer(60))
  const isDone = () => target.every((length, partition) => (reader.next[partition] ?? 0) >= length)
  for (let visit = 0; !isDone(); visit++) {
    const protocol = random.pick(['websocket', 'sse'] as const)
    // In turn, since few readers reconnect often.
    const gateway = gateways[visit === 0 ? 0 : ++returns % gateways.length]!
    const stay = 1 + random.integer(40)
    let seen = 0
    const isEnough = () => isDone() || seen++ >= stay
    await readStream({ url: gateway.url, key, topic, reader, protocol, isEnough })
    if (visit > 0) plan.hit(gateway === shop.gateway ? 'reconnected' : 'other gateway')
  }
  return reader
}

async function readHistory(
  shop: ServedShop,
  { topic }: Chain,
  { random }: FaultPlan,
  take: (page: PageJson) => void,
): Promise<void> {
  const order = random.pick(['asc', 'desc'])
  for (let cursor = ''; ; ) {
    const limit = 1 + random.integer(300)
    const path = `/api/v1/data/${topic}?order=${order}&limit=${limit}${cursor && `&cursor=${cursor}`}`
    const page = await shop.json<PageJson>(path)
    expect(page).toHaveProperty('data')
    take(page)
    if (!page.hasMore) return
    cursor = page.nextCursor
  }
}

async function publishRandomly(chain: Chain, { random, hit }: FaultPlan, transactions: number): Promise<void> {
  for (let n = 0; n < transactions; n++) {
    const units = Array.from({ length: 1 + random.integer(3) }, (): ChainUnit => {
      const partitions = Array.from({ length: random.integer(12) }, () => random.integer(chain.log.length))
      return { partitions, after: random.integer(3), revertUnits: random.integer(5) === 0 ? 1 + random.integer(6) : 0 }
    })
    const isAborted = random.integer(6) === 0
    if (isAborted) await chain.abort(...units)
    else await chain.publish(...units)
    hit(isAborted ? 'aborted' : units.some(({ revertUnits }) => revertUnits) ? 'reverted' : 'committed')
    await new Promise(setImmediate)
  }
}

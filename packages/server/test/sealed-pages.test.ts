import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Chain, openChain } from './shop/chain.ts'
import { type ServedShop, serveShop } from './shop/served-shop.ts'
import { uniqueTopic } from './shop/unique-topic.ts'

const seed = inject('faultSeed')
const revertible = 2

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ topics: [uniqueTopic()] })
})
afterAll(() => shop[Symbol.asyncDispose]())

const unit = fc.record({
  partitions: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
  revertUnits: fc.nat(revertible),
  after: fc.nat(1),
})
const walk = fc.record({
  order: fc.constantFrom('asc', 'desc'),
  firstView: fc.constantFrom('canonical', 'log'),
  view: fc.constantFrom('canonical', 'log'),
  limit: fc.integer({ min: 1, max: 4 }),
  from: fc.constantFrom(undefined, '-1h', 'final', 'last:7', '2026-08-21T10:00:00.003Z'),
  to: fc.constantFrom(undefined, '-0s', 'final', '2026-08-21T10:00:00.006Z'),
})
type Walk = typeof walk extends fc.Arbitrary<infer W> ? W : never
const history = fc.record({
  partitions: fc.integer({ min: 1, max: 3 }),
  steps: fc.array(
    fc.record({ units: fc.array(unit, { minLength: 1, maxLength: 4 }), walks: fc.array(walk, { maxLength: 3 }) }),
    {
      minLength: 4,
      maxLength: 8,
    },
  ),
})

interface Found {
  readonly path: string
  readonly body: string
}

test('a sealed page never changes, whatever is published or reverted, at any gateway', async () => {
  let [sealed, changed] = [0, 0]
  const property = fc.asyncProperty(history, async ({ partitions, steps }) => {
    const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions })
    await shop.waitForTopic(chain.topic)
    const pages = new Map<string, string>()
    const others = new Map<string, string>()
    for (const { units, walks } of steps) {
      await publish(chain, units, partitions)
      for (const each of walks)
        for await (const { path, body, isSealed } of readPages(chain.topic, each))
          (isSealed ? pages : others).set(path, body)
    }
    const fresh = await shop.startAnother()
    await expectServed(fresh.url, chain.topic)
    for (const url of [shop.url, fresh.url])
      for (const [path, body] of pages) expect((await get(url + path)).body, path).toBe(body)
    for (const [path, body] of others) if ((await get(shop.url + path)).body !== body) changed++
    sealed += pages.size
    await fresh.close()
  })
  // Some histories have few pages of one kind, and would show nothing.
  for (let round = 0; sealed < 15 || changed < 3; round++)
    await fc.assert(property, { numRuns: 6, seed: seed + round, endOnFailure: true })
})

async function publish(
  chain: Chain,
  units: readonly { partitions: number[]; revertUnits: number; after: number }[],
  partitions: number,
): Promise<void> {
  for (const each of units)
    await chain.publish({ ...each, partitions: each.partitions.map((partition) => partition % partitions), revertible })
}

/** The pages that follow a first page by cursor. */
async function* readPages(
  topic: string,
  { order, from, to, firstView, ...walk }: Walk,
): AsyncGenerator<Found & { isSealed: boolean }> {
  const path = (bounds: Record<string, string | undefined>) => {
    const query = Object.entries({ order, ...walk, ...bounds }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    )
    return `/api/v1/data/${topic}?${query.join('&')}`
  }
  let page = await get(shop.url + path({ from, to, view: firstView }))
  while (page.json.hasMore) {
    const next = path({ ...(order === 'asc' ? { to } : { from }), cursor: page.json.nextCursor })
    page = await get(shop.url + next)
    // The gateway learns what is final after it has answered.
    yield { path: next, body: page.body, isSealed: page.isSealed || (await get(shop.url + next)).isSealed }
  }
}

async function get(
  url: string,
): Promise<{ body: string; json: { hasMore: boolean; nextCursor: string }; isSealed: boolean }> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${shop.key}` } })
  const body = await response.text()
  expect(response.status, body).toBe(200)
  return { body, json: JSON.parse(body), isSealed: response.headers.get('cache-control')!.includes('immutable') }
}

async function expectServed(url: string, topic: string): Promise<void> {
  const headers = { authorization: `Bearer ${shop.key}` }
  await expect.poll(async () => (await fetch(`${url}/api/v1/topics/${topic}`, { headers })).status).toBe(200)
}

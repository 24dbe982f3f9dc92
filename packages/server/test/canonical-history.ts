import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from './clients/json-rpc-client.ts'
import type { PageJson, RecordJson } from './clients/shapes.ts'
import { applied, type Chain, type ChainUnit, canonicalNames, openChain } from './shop/chain.ts'
import { type ServedShop, serveShop } from './shop/served-shop.ts'
import { uniqueTopic } from './shop/unique-topic.ts'

/** Runs between the requests of readers. */
type Step = { readonly units: readonly ChainUnit[]; readonly aborted: boolean }

const unit = (partitions: number): fc.Arbitrary<ChainUnit> =>
  fc.record({
    partitions: fc.array(fc.nat(partitions - 1), { maxLength: 7 }),
    revertUnits: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
    after: fc.nat(3),
  })

const step = (partitions: number): fc.Arbitrary<Step> =>
  fc.record({
    units: fc.array(unit(partitions), { minLength: 1, maxLength: 4 }),
    aborted: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })

const history = fc.integer({ min: 1, max: 4 }).chain((partitions) =>
  fc.record({
    partitions: fc.constant(partitions),
    before: fc.array(step(partitions), { maxLength: 14 }),
    during: fc.array(step(partitions), { maxLength: 4 }),
    limits: fc.array(fc.integer({ min: 1, max: 23 }), { minLength: 1, maxLength: 5 }),
    stop: fc.nat(30),
  }),
)

async function take(chain: Chain, { units, aborted }: Step): Promise<void> {
  if (aborted) await chain.abort(...units)
  else await chain.publish(...units)
}

export interface CanonicalHistoryOptions {
  readonly engine: string
  /** Default: a new embedded queue. */
  readonly queueUrl?: string
  /** Number of histories. */
  readonly runs: number
  readonly seed: number
}

/** Declares the tests of canonical history on one engine. */
export function testCanonicalHistory({ engine, queueUrl, runs, seed }: CanonicalHistoryOptions): void {
  describe(`canonical history on ${engine}`, () => {
    let shop: ServedShop
    beforeAll(async () => {
      shop = await serveShop({ ...(queueUrl !== undefined && { queueUrl }), topics: [uniqueTopic()] })
    })
    afterAll(() => shop[Symbol.asyncDispose]())

    async function page(topic: string, query: string): Promise<PageJson> {
      const found = await shop.json<PageJson>(`/api/v1/data/${topic}?${query}`)
      const local = await shop.gateway.readPage(topic, Object.fromEntries(new URLSearchParams(query)))
      const isAscending = query.includes('order=asc')
      if (isAscending)
        expect({ ...local, data: local!.data.map((record) => ({ ...record, cursor: record.cursor })) }).toEqual(found)
      else expect(local).toBeUndefined()
      return found
    }

    /** A chain whose topic the gateway serves. */
    async function open(partitions: number): Promise<Chain> {
      const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions })
      await shop.waitForTopic(chain.topic)
      return chain
    }

    /** Reads pages to the end; `between` runs after each. */
    async function readPages(
      topic: string,
      order: 'asc' | 'desc',
      { limits, between = async () => {} }: { limits: readonly number[]; between?: () => Promise<void> },
    ): Promise<{ records: RecordJson[]; headCursor: string }> {
      const records: RecordJson[] = []
      let headCursor: string | undefined
      let next = ''
      for (let index = 0; ; index++) {
        const limit = limits[index % limits.length]!
        const found = await page(topic, `order=${order}&limit=${limit}${next}`)
        expect(found.data.length, JSON.stringify(found).slice(0, 500)).toBeLessThanOrEqual(limit)
        if (found.hasMore) expect(found.data).toHaveLength(limit)
        records.push(...found.data)
        headCursor ??= found.headCursor
        if (!found.hasMore) return { records, headCursor }
        next = `&cursor=${found.nextCursor}`
        await between()
      }
    }

    async function readLog(topic: string, from: string): Promise<readonly RecordJson[]> {
      const { data, hasMore } = await page(topic, `order=asc&limit=1000&view=log&from=${from}`)
      expect(hasMore).toBe(false)
      return data
    }

    const names = (records: readonly RecordJson[]) => records.map(({ partition, seq }) => `${partition}:${seq}`)

    test('is canonical as of its first page, and current together with the log from there on', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ partitions, before, during, limits }) => {
          const chain = await open(partitions)
          for (const each of before) await take(chain, each)
          for (const order of ['asc', 'desc'] as const) {
            const truth = canonicalNames(chain, chain.head())
            const steps = [...during]
            const { records, headCursor } = await readPages(chain.topic, order, {
              limits,
              between: async () => {
                const next = steps.shift()
                if (next) await take(chain, next)
                // The request of another reader makes the gateway read the new records.
                await page(chain.topic, 'limit=1')
              },
            })
            expect(names(records)).toEqual(order === 'asc' ? truth : truth.toReversed())
            const held = applied(await readLog(chain.topic, headCursor), applied(records))
            expect([...held].sort()).toEqual(canonicalNames(chain, chain.head()).sort())
          }
        }),
        { numRuns: runs, seed, endOnFailure: true },
      )
    })

    test('continues from the cursor of any record, in pages and in a stream, which switches to the log', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ partitions, before, during, limits, stop }) => {
          const chain = await open(partitions)
          for (const each of before) await take(chain, each)
          const head = chain.head()
          const truth = canonicalNames(chain, head)
          const all = await page(chain.topic, 'order=asc&limit=1000')
          const read = all.data.slice(0, stop % (truth.length + 1))
          const cursor = read.at(-1)?.cursor
          if (cursor === undefined) return
          for (const each of during) await take(chain, each)
          await page(chain.topic, 'limit=1')

          const limit = limits[0]!
          const forwards = await page(chain.topic, `order=asc&limit=${limit}&cursor=${cursor}`)
          if (read.length < truth.length)
            expect(names(forwards.data)).toEqual(truth.slice(read.length, read.length + limit))
          const backwards = await page(chain.topic, `order=desc&limit=1000&cursor=${cursor}`)
          expect(names(backwards.data)).toEqual(truth.slice(0, read.length).toReversed())

          using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
          await client.call('subscribe', { topics: [chain.topic], from: cursor })
          const later = chain.log.reduce((sum, log, partition) => sum + log.length - head[partition]!, 0)
          const streamed = await client.notifications('subscription', truth.length - read.length + later)
          expect([...applied(streamed, applied(read))].sort()).toEqual(canonicalNames(chain, chain.head()).sort())
          for (let index = 0; index < streamed.length; index += 1 + (streamed.length >> 2)) {
            const rest = streamed.slice(index + 1).filter(({ partition, seq }) => Number(seq) < head[partition]!)
            if (rest.length === 0) continue
            const found = await page(chain.topic, `order=asc&limit=1000&cursor=${streamed[index]!.cursor}`)
            expect(names(found.data).sort()).toEqual(names(rest).sort())
          }
          expect(client.messages.filter(({ method }) => method === 'subscription')).toHaveLength(streamed.length)
        }),
        { numRuns: Math.ceil(runs / 2), seed, endOnFailure: true },
      )
    })
  })
}

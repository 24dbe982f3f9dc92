import { createClient } from '@headrace/client'
import type { Logger } from '@headrace/queue'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Chain, type ChainUnit, canonicalNames, nameOf, openChain } from '../../server/test/shop/chain.ts'
import { type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { uniqueTopic } from '../../server/test/shop/unique-topic.ts'
import { defineSink, type SinkDefinition, type SinkRecord } from '../src/destination/destination.ts'
import type { Finality } from '../src/running/read-final.ts'
import { runSink, type SinkSummary } from '../src/running/run-sink.ts'

const log: Logger = { debug() {}, info() {}, warn() {}, error() {} }

let shop: ServedShop
beforeAll(async () => {
  // Pages of a few records, so that a cursor is often between two final positions.
  shop = await serveShop({ limits: { pageBytes: 1000 }, topics: [uniqueTopic()] })
})
afterAll(() => shop[Symbol.asyncDispose]())

const steps = (partitions: number) =>
  fc.array(
    fc.array(
      fc.record<ChainUnit>({
        partitions: fc.array(fc.nat(partitions - 1), { maxLength: 7 }),
        revertUnits: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) }),
        revertible: fc.nat(4),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    { minLength: 1, maxLength: 6 },
  )

test('the final records are stored once and in order, however runs end and records are reverted', async () => {
  const cases = fc
    .integer({ min: 1, max: 3 })
    .chain((partitions) =>
      fc.record({ partitions: fc.constant(partitions), steps: steps(partitions), ends: fc.infiniteStream(fc.nat(3)) }),
    )
  await fc.assert(
    fc.asyncProperty(cases, async ({ partitions, steps, ends }) => {
      const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions })
      await shop.waitForTopic(chain.topic)
      const memory = createMemory()
      for (const units of steps) {
        await chain.publish(...units)
        // Ends after some batches, and is started again.
        await run(memory, chain, { most: ends.next().value! })
        // Newer records are published under way.
        await chain.publish({ partitions: [0], revertUnits: 1, revertible: 3 })
        while ((await run(memory, chain)).reason !== 'reached_head') {}
        expect(memory.names.toSorted()).toEqual(canonicalNames(chain, chain.final()).toSorted())
        expect(memory.isInOrder()).toBe(true)
      }
    }),
    { seed: inject('faultSeed'), endOnFailure: true, numRuns: 15 },
  )
})

test('records that are final at once are stored as they are published, and a revert ends the run', async () => {
  const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions: 2 })
  const memory = createMemory()
  await chain.publish({ partitions: [0, 1, 0] }, { partitions: [1] })
  await shop.waitForTopic(chain.topic)
  await run(memory, chain)
  expect(memory.names).toEqual([])
  await run(memory, chain, { finality: 'at-once' })
  const stored = canonicalNames(chain, chain.head())
  expect(memory.names.toSorted()).toEqual(stored.toSorted())
  await chain.publish({ partitions: [0], revertUnits: 1 })
  await expect(run(memory, chain, { finality: 'at-once' })).rejects.toMatchObject({ code: 'record_not_final' })
  expect(memory.names.toSorted()).toEqual(stored.toSorted())
})

interface Memory {
  readonly sink: SinkDefinition
  /** Of the stored records. */
  readonly names: readonly string[]
  isInOrder(): boolean
  /** Called after each batch. */
  onApply: () => void
}

function createMemory(): Memory {
  const records: SinkRecord[] = []
  const cursors = new Map<string, string>()
  const memory: Memory = {
    get names() {
      return records.map(({ partition, seq }) => nameOf({ partition, seq: Number(seq) }))
    },
    isInOrder: () =>
      records.every(({ partition, seq }, at) =>
        records.slice(0, at).every((other) => other.partition !== partition || Number(other.seq) < Number(seq)),
      ),
    onApply() {},
    sink: defineSink({
      kind: 'memory',
      records: 'final',
      batchRecords: 1,
      async open() {
        return {
          prepare: async () => {},
          readCursor: async (topic) => cursors.get(topic),
          async apply({ topic, records: applied, cursor }) {
            records.push(...applied)
            cursors.set(topic, cursor)
            memory.onApply()
            return undefined
          },
          close: async () => {},
        }
      },
    }),
  }
  return memory
}

interface RunOptions {
  /** The run ends after this number of batches. Default: at the final position. */
  readonly most?: number
  readonly finality?: Finality
}

function run(memory: Memory, { topic }: Chain, { most, finality = 'declared' }: RunOptions = {}): Promise<SinkSummary> {
  const stop = new AbortController()
  let batches = 0
  memory.onApply = () => {
    if (++batches === most) stop.abort()
  }
  const client = createClient({ url: shop.url, apiKey: shop.key })
  const { sink } = memory
  return runSink({ sink, client: client as never, topics: [topic], until: 'head', finality, signal: stop.signal, log })
}

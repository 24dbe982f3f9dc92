import { createClient } from '@headrace/client'
import { type Logger, RetryableError } from '@headrace/queue'
import { expect, test } from 'vitest'
import { applied, canonicalNames, nameOf, openChain } from '../../server/test/shop/chain.ts'
import { serveShop } from '../../server/test/shop/served-shop.ts'
import { uniqueTopic } from '../../server/test/shop/unique-topic.ts'
import { defineSink, type SinkRecord } from '../src/destination/destination.ts'
import { runSink } from '../src/running/run-sink.ts'

const log: Logger = { debug() {}, info() {}, warn() {}, error() {} }

test('a record that was passed on before a failure, and then reverted, gets its revert', async () => {
  await using shop = await serveShop()
  const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions: 2 })
  await chain.publish({ partitions: [0, 1] }, { partitions: [0, 1, 1] }, { partitions: [1] })
  await shop.waitForTopic(chain.topic)

  const passedOn = new Map<string, SinkRecord>()
  let cursor: string | undefined
  let failures = 0
  const sink = defineSink({
    kind: 'memory',
    records: 'canonical',
    open: async () => ({
      prepare: async () => {},
      readCursor: async () => cursor,
      async apply(batch) {
        for (const record of batch.records) {
          passedOn.set(nameOf({ partition: record.partition, seq: Number(record.seq) }), record)
          if (failures > 0) continue
          failures++
          await chain.publish({ partitions: [0], revertUnits: 3 })
          throw new RetryableError('destination_unavailable', 'The answer did not arrive.')
        }
        cursor = batch.cursor
        return undefined
      },
      close: async () => {},
    }),
  })
  const client = createClient({ url: shop.url, apiKey: shop.key })
  await runSink({ sink, client, topics: [chain.topic], until: 'head', signal: AbortSignal.timeout(30_000), log })
  await runSink({ sink, client, topics: [chain.topic], until: 'head', signal: AbortSignal.timeout(30_000), log })
  expect(failures).toBe(1)
  expect([...applied([...passedOn.values()] as never)].toSorted()).toEqual(
    canonicalNames(chain, chain.head()).toSorted(),
  )
})

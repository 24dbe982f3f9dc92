import { PositionLostError, type QueueRecord } from '@headrace/queue'
import { expect, test } from 'vitest'
import type { ServedTopic } from '../topics/served-topic.ts'
import { createHistory } from './history.ts'
import type { RecentReads } from './recent-reads.ts'
import { sliceRun } from './run.ts'

const topic = {
  ...{ name: 'a.b', id: 'id', partitions: 1 },
  render: ({ offset }: { offset: bigint }) => ({ partition: 0, offset, seq: Number(offset), json: new Uint8Array(10) }),
} as unknown as ServedTopic

/** A queue with records at every offset from `earliest` on, which may move, and the number of its reads. */
function openRecords(earliest: bigint) {
  const read = async ({ offset, ...place }: { topic: string; partition: number; offset: bigint }) => {
    reads.count++
    await new Promise(setImmediate)
    const { earliest } = reads
    if (offset < earliest) throw new PositionLostError({ ...place, offset }, { earliest, end: 1000n })
    const records = Array.from({ length: 1000 - Number(offset) }, (_, n) => ({ offset: offset + BigInt(n) }))
    return { batches: [{ records: () => records }], next: 1000n, end: 1000n }
  }
  const reads = { count: 0, earliest }
  const queue = { read, forget() {} } as unknown as RecentReads
  return { reads, history: createHistory(queue, 32 << 20, { hits: 0, misses: 0, bytes: 0 }) }
}

test('readers that wait for a chunk share one further read if they need more of it', async () => {
  const { history, reads } = openRecords(0n)
  const first = history.after(topic, { partition: 0, from: 0n, to: 100n })
  const others = Array.from({ length: 50 }, () => history.after(topic, { partition: 0, from: 0n, to: 200n }))
  expect((await first).records).toHaveLength(100)
  for (const run of await Promise.all(others)) expect(run.records).toHaveLength(200)
  expect(reads.count).toBe(2)
})

test('a reader whose place was removed does not fail others that wait for the same chunk', async () => {
  const { history } = openRecords(50n)
  const lost = history.after(topic, { partition: 0, from: 10n, to: 100n })
  const kept = history.after(topic, { partition: 0, from: 60n, to: 100n })
  await expect(lost).rejects.toThrow(PositionLostError)
  expect((await kept).records).toHaveLength(40)
})

test('records after removed ones are read, even if some of the removed ones are cached', async () => {
  const { history, reads } = openRecords(0n)
  await history.after(topic, { partition: 0, from: 0n, to: 10n })
  reads.earliest = 20n
  const [first, last] = [
    { partition: 0, from: 20n, to: 25n },
    { partition: 0, from: 20n, to: 30n },
  ]
  expect((await history.after(topic, first)).records.map(({ offset }) => offset)).toEqual([20n, 21n, 22n, 23n, 24n])
  expect((await history.before(topic, last)).records).toHaveLength(10)
  await expect(history.after(topic, { partition: 0, from: 19n, to: 40n })).rejects.toThrow(PositionLostError)
})

test('every record read from a topic with several partitions is cached', async () => {
  const { history, reads } = openRecords(0n)
  const wide = {
    ...{ ...topic, partitions: 32 },
    render: ({ offset }: { offset: bigint }) => ({ partition: 0, offset, seq: 0, json: new Uint8Array(4000) }),
  } as unknown as ServedTopic
  const readAll = async () => {
    for (let from = 0n; from < 200n; ) from = (await history.after(wide, { partition: 0, from, to: 200n })).to
  }
  await readAll()
  reads.count = 0
  await readAll()
  expect(reads.count).toBe(0)
})

test('a reader that takes large records in pieces has each of them rendered once', async () => {
  const { history } = openRecords(0n)
  let rendered = 0
  const large = {
    ...topic,
    render: ({ offset }: { offset: bigint }) => {
      rendered++
      return { partition: 0, offset, seq: Number(offset), json: { byteLength: 40_000 } }
    },
  } as unknown as ServedTopic
  const found: bigint[] = []
  for (let from = 0n; from < 250n; ) {
    const run = sliceRun(await history.after(large, { partition: 0, from, to: 250n }), from, 100_000)
    found.push(...run.records.map(({ offset }) => offset))
    from = run.to
  }
  expect(found).toEqual(Array.from({ length: 250 }, (_, n) => BigInt(n)))
  expect(rendered).toBe(250)
})

test('every record of an offered run is cached, and no chunk without records', async () => {
  const { history, reads } = openRecords(0n)
  const wide = { ...topic, partitions: 16 } as ServedTopic
  const records = Array.from({ length: 100 }, (_, n) => wide.render({ offset: BigInt(n) } as QueueRecord))
  history.offer({ topic: wide, partition: 0, from: 0n, to: 10n ** 12n, records, byteLength: 1000 })
  const found = []
  for (let from = 0n; from < 100n; ) {
    const run = await history.after(wide, { partition: 0, from, to: 100n })
    found.push(...run.records)
    from = run.to
  }
  expect(found).toEqual(records)
  expect(reads.count).toBe(0)
})

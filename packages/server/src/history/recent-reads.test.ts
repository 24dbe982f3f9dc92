import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue, type Queue, type ReadLimits, readRange } from '@headrace/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRecentReads } from './recent-reads.ts'

const topic = 'a'
let directory: string
let queue: Queue

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'headrace-recent-reads-'))
  queue = await openQueue(`embedded:${directory}`)
  await queue.createTopics([{ name: topic }])
  for (let batch = 0; batch < 6; batch++)
    await queue.append(Array.from({ length: 100 }, () => ({ topic, key: null, value: Buffer.alloc(100), time: 1 })))
})
afterAll(async () => {
  await queue.close()
  await rm(directory, { recursive: true })
})

/** Counts what is read from the queue. */
function openReads(maxBytes = 1 << 20) {
  const asked: (ReadLimits & { readonly offset: bigint })[] = []
  const state = { now: 0 }
  const read: Queue['read'] = (at, limits) => {
    asked.push({ ...limits, offset: at.offset })
    return queue.read(at, limits)
  }
  const reads = createRecentReads({ ...queue, read }, maxBytes, () => state.now)
  const offsets = async (from: bigint, to: bigint) => {
    const found: bigint[] = []
    for await (const batch of readRange(reads, { topic, partition: 0, from, to }, { maxBytes: 1 }))
      for (const { offset } of batch.records()) found.push(offset)
    return found
  }
  return { reads, asked, state, offsets }
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => BigInt(from + n))

test('pieces of a batch are read from the queue once, in any order', async () => {
  const { asked, offsets } = openReads()
  for (const from of [0, 70, 10, 90, 40])
    expect(await offsets(BigInt(from), BigInt(from + 10))).toEqual(range(from, from + 10))
  expect(asked.map(({ offset }) => offset)).toEqual([0n])
})

test('a read that continues another one gets more at once', async () => {
  const { asked, offsets } = openReads()
  expect(await offsets(0n, 600n)).toEqual(range(0, 600))
  expect(asked).toEqual([
    { offset: 0n, maxBytes: 1 },
    { offset: 100n, maxBytes: 1 << 20 },
  ])
})

test('what was read is not used after ten seconds, nor once the log was truncated', async () => {
  const { reads, asked, state, offsets } = openReads()
  await offsets(0n, 10n)
  state.now = 10_001
  await offsets(0n, 10n)
  expect(asked).toHaveLength(2)
  reads.forget(topic)
  await offsets(0n, 10n)
  expect(asked).toHaveLength(3)
})

test('no more is kept than allowed', async () => {
  const { asked, offsets } = openReads(20_000)
  await offsets(0n, 100n)
  await offsets(300n, 400n)
  await offsets(300n, 400n)
  expect(asked).toHaveLength(2)
  await offsets(0n, 100n)
  expect(asked).toHaveLength(3)
})

test('a read that begins after the last batch of an earlier one is not answered from it', async () => {
  // As behind the marker of a transaction: the next offset is not that after the last batch.
  const read: Queue['read'] = async (at, limits) => {
    const found = await queue.read(at, { ...limits, maxBytes: 1 })
    return { ...found, next: found.next + 50n }
  }
  const reads = createRecentReads({ ...queue, read }, 1 << 20)
  const place = { topic, partition: 0 }
  await reads.read({ ...place, offset: 0n }, { maxBytes: 1 })
  const { batches } = await reads.read({ ...place, offset: 120n }, { maxBytes: 1 })
  expect([...batches[0]!.records()][0]?.offset).toBe(120n)
})

test('a read that begins after the last record of a compacted batch is not answered from it', async () => {
  const read: Queue['read'] = async (at, limits) => {
    const { batches, next, end } = await queue.read(at, { ...limits, maxBytes: 1 })
    const [batch] = batches
    const compacted = { ...batch!, nextOffset: next + 50n, records: (from?: bigint) => batch!.records(from) }
    return { batches: at.offset === 0n ? [compacted] : batches, next, end }
  }
  const reads = createRecentReads({ ...queue, read }, 1 << 20)
  const place = { topic, partition: 0 }
  await reads.read({ ...place, offset: 0n }, { maxBytes: 1 })
  const { batches } = await reads.read({ ...place, offset: 120n }, { maxBytes: 1 })
  expect([...batches[0]!.records()][0]?.offset).toBe(120n)
})

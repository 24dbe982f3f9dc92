import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NewRecord, Queue } from '../../queue.ts'
import type { QueueRecord } from '../../record-batch/record-batch.ts'
import { createEmbeddedQueue } from '../embedded-queue.ts'
import type { Engine } from '../engine.ts'
import { openEngine } from '../open-engine.ts'
import { compactPartition } from './compact-partition.ts'
import { type CompactionSettings, defaultCompaction } from './compaction-settings.ts'
import { findDirtyPart } from './dirty-part.ts'

const close = new AbortController()
let directory: string
let queue: Queue
/** Stands for another process, which compacts what the queue has written. */
let engine: Engine
let topics = 0
let now = 1_000_000

const settings: CompactionSettings = {
  ...defaultCompaction,
  minDirtyBytes: 1,
  minDirtyRatio: 0,
  activeBytes: 0,
  tombstonesMs: 1_000,
  pauseMs: 0,
  now: () => now,
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  queue = await createEmbeddedQueue({
    directory,
    create: true,
    compaction: { minDirtyBytes: Number.POSITIVE_INFINITY },
  })
  engine = await openEngine({ directory, create: false }, close.signal)
})
afterAll(async () => {
  await queue.close()
  close.abort()
  engine.storage.database.close()
  rmSync(directory, { recursive: true })
})

describe('compaction', () => {
  it('keeps the newest record of each key at its offset, and removes only records that a newer one replaces', async () => {
    const entry = fc.record({ key: fc.integer({ min: 0, max: 9 }), size: fc.nat({ max: 400 }) })
    const commits = fc.array(fc.array(entry, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 })
    const limits = fc.record({
      batchBytes: fc.integer({ min: 1, max: 4_000 }),
      keysAtOnce: fc.integer({ min: 1, max: 12 }),
      sliceBytes: fc.integer({ min: 1, max: 4_000 }),
      activeBytes: fc.integer({ min: 0, max: 2_000 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(commits, { minLength: 1, maxLength: 3 }), limits, async (rounds, limits) => {
        const topic = await createTopic()
        for (const round of rounds) {
          for (const entries of round) {
            await queue.append(entries.map(({ key, size }) => keyed(topic, `${key}`, 'x'.repeat(size))))
          }
          const before = await readAll(topic, 0n)
          const part = await compact(topic, { ...settings, ...limits })
          const after = await readAll(topic, 0n)
          const newest = new Map(before.map((record) => [record.key, record.offset]))
          expect(subsequence(after, before)).toBe(true)
          for (const record of before) {
            const removed = !after.some(({ offset }) => offset === record.offset)
            if (removed) expect(newest.get(record.key)).toBeGreaterThan(record.offset)
          }
          if (part !== undefined) {
            const clean = after.filter(({ offset }) => offset < part.end)
            expect(new Set(clean.map(({ key }) => key)).size).toBe(clean.length)
          }
          await expectLookups(topic, after)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('removes tombstones only when their time after their first compaction is over', async () => {
    const topic = await createTopic()
    await queue.append([keyed(topic, 'a', 'old'), keyed(topic, 'b', 'kept')])
    await queue.append([{ ...keyed(topic, 'a', ''), value: null }])
    await compact(topic)
    expect(await keysOf(topic)).toEqual(['b', 'a'])
    now += 999
    await queue.append([keyed(topic, 'c', 'new')])
    await compact(topic)
    expect(await keysOf(topic)).toEqual(['b', 'a', 'c'])
    now += 1
    await queue.append([keyed(topic, 'd', 'new')])
    await compact(topic)
    expect(await keysOf(topic)).toEqual(['b', 'c', 'd'])
    expect(await queue.latest(topic, 0, Buffer.from('a'))).toBeUndefined()
  })

  it('merges many small batches into few', async () => {
    const topic = await createTopic()
    for (let index = 0; index < 200; index++) await queue.append([keyed(topic, `${index % 10}`, 'x'.repeat(100))])
    await compact(topic)
    expect(rowsOf(topic)).toHaveLength(2)
    await compact(topic)
    expect((await readAll(topic, 0n)).map(({ offset }) => offset)).toEqual(
      Array.from({ length: 10 }, (_, index) => BigInt(190 + index)),
    )
  })

  it('does not change batches of which every record is kept', async () => {
    const topic = await createTopic()
    for (let index = 0; index < 3; index++) await queue.append([keyed(topic, `${index}`, 'x'.repeat(60_000))])
    const before = rowsOf(topic)
    await compact(topic)
    expect(rowsOf(topic)).toEqual(before)
  })

  it('gives up without losing a record when another process compacts the same partition', async () => {
    const topic = await createTopic()
    for (let index = 0; index < 300; index++) await queue.append([keyed(topic, `${index % 7}`, `${index}`)])
    const partition = engine.topics.partition(topic, 0)
    const small = { ...settings, sliceBatches: 10 }
    const part = findDirtyPart(engine, partition, small)!
    await Promise.all([1, 2, 3].map(() => compactPartition(engine, partition, part, small)))
    expect(await keysOf(topic)).toEqual(Array.from({ length: 7 }, (_, index) => `${(index + 6) % 7}`))
    await expectLookups(topic, await readAll(topic, 0n))
  })

  it('starts after a commit, once enough bytes are dirty', async () => {
    const own = await createEmbeddedQueue({
      directory,
      create: false,
      compaction: { minDirtyBytes: 20_000, activeBytes: 0, lookAfterMs: 0, pauseMs: 0 },
    })
    const topic = await createTopic()
    for (let index = 0; index < 15; index++) await own.append([keyed(topic, 'key', 'x'.repeat(1_000))])
    expect(rowsOf(topic).length).toBe(15)
    while (rowsOf(topic).length > 14) await own.append([keyed(topic, 'key', 'x'.repeat(1_000))])
    await own.close()
    expect((await readAll(topic, 0n)).length).toBeLessThan(15)
  })
})

async function createTopic(): Promise<string> {
  const name = `compacted-${topics++}`
  await queue.createTopics([{ name, cleanup: 'compact' }])
  return name
}

async function compact(topic: string, how: CompactionSettings = settings) {
  const partition = engine.topics.partition(topic, 0)
  const part = findDirtyPart(engine, partition, how)
  if (part !== undefined) await compactPartition(engine, partition, part, how)
  return part
}

function rowsOf(topic: string) {
  return engine.inSnapshot(() => [...engine.batches.rowsFrom(engine.topics.partition(topic, 0), 0)])
}

function keyed(topic: string, key: string, text: string): NewRecord {
  return { topic, key: Buffer.from(key), value: Buffer.from(text), time: 1_000 }
}

interface PlainRecord {
  readonly offset: bigint
  readonly key: string
  readonly value: string | null
}

function plain({ offset, key, value }: QueueRecord): PlainRecord {
  return { offset, key: Buffer.from(key!).toString(), value: value && Buffer.from(value).toString() }
}

async function readAll(topic: string, from: bigint, maxBytes = 1_000): Promise<PlainRecord[]> {
  const records: PlainRecord[] = []
  for (let offset = from; ; ) {
    const { batches, next, end } = await queue.read({ topic, partition: 0, offset }, { maxBytes })
    for (const batch of batches) {
      expect(batch.baseOffset).toBeGreaterThanOrEqual(offset)
      records.push(...[...batch.records()].map(plain))
    }
    if (next === end) return records
    expect(next).toBeGreaterThan(offset)
    offset = next
  }
}

async function keysOf(topic: string): Promise<string[]> {
  return (await readAll(topic, 0n)).map(({ key }) => key)
}

/** Expects reads from any offset and searches by key to find exactly these records. */
async function expectLookups(topic: string, records: readonly PlainRecord[]): Promise<void> {
  const { end } = (await queue.describe([topic]))[0]!.partitions[0]!
  for (let offset = 0n; offset <= end; offset += 3n) {
    expect(await readAll(topic, offset)).toEqual(records.filter((record) => record.offset >= offset))
  }
  for (const [key, newest] of new Map(records.map((record) => [record.key, record]))) {
    const found = await queue.latest(topic, 0, Buffer.from(key))
    expect(found && plain(found)).toEqual(newest)
  }
  expect(await queue.offsetForTime(topic, 0, 1_000)).toBe(records[0]?.offset)
}

function subsequence(some: readonly PlainRecord[], all: readonly PlainRecord[]): boolean {
  const offsets = new Map(all.map((record) => [record.offset, record.value]))
  return some.every(({ offset, value }, index) => {
    const inOrder = index === 0 || some[index - 1]!.offset < offset
    return inOrder && offsets.get(offset) === value
  })
}

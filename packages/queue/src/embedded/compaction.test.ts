import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { NewRecord, Queue } from '../queue.ts'
import type { QueueRecord } from '../record-batch/record-batch.ts'
import { type CompactionSettings, compactPartition, defaultCompaction } from './compaction.ts'
import { createEmbeddedQueue } from './embedded-queue.ts'
import type { Engine } from './engine.ts'
import { openEngine } from './open-engine.ts'
import { compactionLagMs, tombstoneRetentionMs } from './storage/batch-table.ts'

const close = new AbortController()
let directory: string
let queue: Queue
/** Represents another process that compacts what the queue has written. */
let engine: Engine
let topics = 0

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  queue = await createEmbeddedQueue({ directory, create: true })
  engine = await openEngine({ directory, create: false }, close.signal)
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await queue.close()
  close.abort()
  engine.storage.database.close()
  rmSync(directory, { recursive: true })
})

describe('compaction', () => {
  it('keeps the newest record of each key at its offset, and every record during the compaction lag', async () => {
    const entry = fc.record({ key: fc.integer({ min: 0, max: 9 }), size: fc.nat({ max: 400 }) })
    const commits = fc.array(fc.array(entry, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 })
    const sliceRows = fc.integer({ min: 2, max: 12 })
    await fc.assert(
      fc.asyncProperty(fc.array(commits, { minLength: 1, maxLength: 3 }), sliceRows, async (rounds, sliceRows) => {
        const topic = await createTopic()
        for (const round of rounds) {
          for (const entries of round) {
            await queue.append(entries.map(({ key, size }) => keyed(topic, `${key}`, 'x'.repeat(size))))
          }
          const before = await readAll(topic, 0n)
          await compact(topic, compactionLagMs - 60_000, sliceRows)
          expect(await readAll(topic, 0n)).toEqual(before)
          await compact(topic, compactionLagMs, sliceRows)
          const newest = new Map(before.map((record) => [record.key, record]))
          const after = [...newest.values()].toSorted((one, other) => Number(one.offset - other.offset))
          expect(await readAll(topic, 0n)).toEqual(after)
          await expectLookups(topic, after)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('removes tombstones only when their retention is over', async () => {
    const topic = await createTopic()
    await queue.append([keyed(topic, 'a', 'old'), keyed(topic, 'b', 'kept')])
    await queue.append([{ ...keyed(topic, 'a', ''), value: null }])
    await compact(topic, compactionLagMs)
    expect(await keysOf(topic)).toEqual(['b', 'a'])
    await compact(topic, tombstoneRetentionMs - 60_000)
    expect(await queue.latest(topic, 0, Buffer.from('a'))).toMatchObject({ value: null })
    await compact(topic, tombstoneRetentionMs)
    expect(await keysOf(topic)).toEqual(['b'])
    expect(await queue.latest(topic, 0, Buffer.from('a'))).toBeUndefined()
    await queue.append([keyed(topic, 'a', 'again')])
    expect(await keysOf(topic)).toEqual(['b', 'a'])
  })

  it('keeps a tombstone that is superseded until its key is written again, and then for the compaction lag', async () => {
    const topic = await createTopic()
    await queue.append([{ ...keyed(topic, 'a', ''), value: null }, keyed(topic, 'a', 'again')])
    await compact(topic, compactionLagMs - 60_000)
    expect(await readAll(topic, 0n)).toMatchObject([{ value: null }, { value: 'again' }])
    await compact(topic, compactionLagMs)
    expect(await readAll(topic, 0n)).toMatchObject([{ offset: 1n, value: 'again' }])
  })

  it('removes a tombstone only after all older records of its key, even if the clock changes', async () => {
    const topic = await createTopic()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(2 * tombstoneRetentionMs)
    await queue.append([keyed(topic, 'a', 'first'), keyed(topic, 'a', 'second')])
    clock.mockReturnValue(0)
    await queue.append([{ ...keyed(topic, 'a', ''), value: null }])
    await compact(topic, tombstoneRetentionMs)
    expect(await readAll(topic, 0n)).toMatchObject([{ value: 'first' }, { value: null }])
    await compact(topic, 3 * tombstoneRetentionMs)
    await compact(topic, 3 * tombstoneRetentionMs)
    expect(await readAll(topic, 0n)).toEqual([])
  })

  it('works in several processes on the same partition concurrently', async () => {
    const topic = await createTopic()
    for (let index = 0; index < 104; index++) await queue.append([keyed(topic, `${index % 7}`, `${index}`)])
    await Promise.all([1, 2, 3].map(() => compact(topic, compactionLagMs, 5)))
    expect(await keysOf(topic)).toEqual(Array.from({ length: 7 }, (_, index) => `${(index + 6) % 7}`))
    await expectLookups(topic, await readAll(topic, 0n))
  })

  it('starts after a commit', async () => {
    const now = () => Date.now() + compactionLagMs
    const own = await createEmbeddedQueue({
      directory,
      create: false,
      compaction: { startAfterMs: 0, intervalMs: 10, now },
    })
    const topic = await createTopic()
    for (let index = 0; index < 15; index++) await own.append([keyed(topic, 'key', `${index}`)])
    await expect.poll(() => readAll(topic, 0n)).toMatchObject([{ value: '14' }])
    await own.close()
  })
})

async function createTopic(): Promise<string> {
  const name = `compacted-${topics++}`
  await queue.createTopics([{ name, cleanup: 'compact' }])
  return name
}

/** Compacts as if the given time had passed. */
async function compact(topic: string, elapsedMs: number, sliceRows = defaultCompaction.sliceRows): Promise<void> {
  const settings: CompactionSettings = {
    ...defaultCompaction,
    sliceRows,
    pauseMs: 0,
    now: () => Date.now() + elapsedMs,
  }
  await compactPartition(engine, engine.topics.partition(topic, 0), settings)
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

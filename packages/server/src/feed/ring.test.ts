import { expect, test } from 'vitest'
import type { Run } from '../history/run.ts'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import { createRing } from './ring.ts'

const topic = { name: 'a.b' } as ServedTopic

/** A run of records of ten bytes at these offsets. */
function run(from: number, to: number, offsets: readonly number[]): Run {
  const records = offsets.map((offset): RenderedRecord => {
    return { partition: 0, offset: BigInt(offset), seq: null, time: 0, cursorLength: 0, json: new Uint8Array(10) }
  })
  return { topic, partition: 0, from: BigInt(from), to: BigInt(to), records, byteLength: 10 * records.length }
}

const offsetsOf = (found: Run | undefined) => found?.records.map(({ offset }) => Number(offset))

test('a ring returns the records from an offset to the end of their run', () => {
  const ring = createRing(5n, 1000)
  ring.push(run(5, 8, [5, 6, 7]))
  ring.push(run(8, 12, [9, 10]))
  expect(offsetsOf(ring.at(5n))).toEqual([5, 6, 7])
  expect(offsetsOf(ring.at(7n))).toEqual([7])
  expect(offsetsOf(ring.at(8n))).toEqual([9, 10])
  expect(offsetsOf(ring.at(10n))).toEqual([10])
  expect(ring.at(10n)!.to).toBe(12n)
})

test('a ring moves readers over offsets without records', () => {
  const ring = createRing(0n, 1000)
  ring.push(run(0, 4, [0]))
  const found = ring.at(2n)!
  expect([offsetsOf(found), found.from, found.to]).toEqual([[], 2n, 4n])
})

test('a ring joins unseen runs that are small and of one schema', () => {
  const ring = createRing(0n, 1_000_000)
  ring.push(run(0, 2, [0, 1]))
  ring.push(run(2, 4, [2]), { join: true })
  expect(offsetsOf(ring.at(0n))).toEqual([0, 1, 2])
  expect([ring.at(0n)!.to, ring.to]).toEqual([4n, 4n])
  ring.push(run(4, 5, [4]), { join: false })
  ring.push({ ...run(5, 6, [5]), topic: { name: 'a.b' } as ServedTopic }, { join: true })
  ring.push({ ...run(6, 7, [6]), byteLength: 100_000 }, { join: true })
  expect([0n, 4n, 5n, 6n].map((offset) => offsetsOf(ring.at(offset)))).toEqual([[0, 1, 2], [4], [5], [6]])
})

test('a ring returns the same object for the same run, so that it is framed once', () => {
  const ring = createRing(0n, 1000)
  const pushed = run(0, 2, [0, 1])
  ring.push(pushed)
  expect(ring.at(0n)).toBe(pushed)
})

test('a ring returns nothing outside its offsets', () => {
  const ring = createRing(5n, 1000)
  expect(ring.at(5n)).toBeUndefined()
  ring.push(run(5, 6, [5]))
  expect(ring.at(4n)).toBeUndefined()
  expect(ring.at(6n)).toBeUndefined()
})

test('a ring evicts the oldest runs above its size, and never the newest', () => {
  const ring = createRing(0n, 25)
  for (let at = 0; at < 6; at++) ring.push(run(at, at + 1, [at]))
  expect([ring.from, ring.to]).toEqual([4n, 6n])
  ring.push(run(6, 10, [6, 7, 8, 9]))
  expect([ring.from, ring.to]).toEqual([6n, 10n])
})

test('a ring needs no memory for offsets without records, in any number of batches', () => {
  const ring = createRing(0n, 1000)
  ring.push(run(0, 2, [0, 1]))
  const before = ring.at(0n)!
  for (let from = 2; from < 1000; from++) ring.push(run(from, from + 1, []))
  expect(ring.to).toBe(1000n)
  expect(ring.at(0n)).toMatchObject({ from: before.from, to: 1000n })
  ring.push(run(1000, 1001, [1000]))
  expect(ring.at(500n)).toMatchObject({ from: 500n, to: 1000n, records: [] })
  expect(offsetsOf(ring.at(1000n))).toEqual([1000])
})

import { expect, test } from 'vitest'
import type { DataRecord } from './batch.ts'
import { RecordsMissingError } from './errors.ts'
import { createSequence, type SequenceOptions } from './sequence.ts'

const record = (seq: number | null, partition = 0) =>
  ({ topic: 'orders', partition, seq: seq === null ? null : `${seq}` }) as DataRecord<unknown>

function takeAll(options: SequenceOptions, records: readonly DataRecord<unknown>[]): unknown[] {
  const sequence = createSequence(options)
  return records.map((each) => {
    const found = sequence.take(each)
    return found instanceof RecordsMissingError ? [found.expected, found.found] : found
  })
}

test('the log has every seq from the first one on, forwards and backwards', () => {
  expect(
    takeAll(
      { order: 'asc', view: 'log' },
      [7, 8, 9, 11, 12].map((seq) => record(seq)),
    ),
  ).toEqual(['next', 'next', 'next', [10, 11], 'next'])
  expect(
    takeAll(
      { order: 'desc', view: 'log' },
      [9, 8, 6].map((seq) => record(seq)),
    ),
  ).toEqual(['next', 'next', [7, 6]])
})

test('the seqs of the canonical view may have gaps, but never decrease', () => {
  const seqs = [3, 9, 8, 9, 10]
  const found = takeAll(
    { order: 'asc', view: 'canonical' },
    seqs.map((seq) => record(seq)),
  )
  expect(found).toEqual(['next', 'next', 'repeated', 'repeated', 'next'])
})

test('a record that was read before is recognized', () => {
  const seqs = [5, 6, 5, 6, 7]
  const found = takeAll(
    { order: 'asc', view: 'log' },
    seqs.map((seq) => record(seq)),
  )
  expect(found).toEqual(['next', 'next', 'repeated', 'repeated', 'next'])
})

test('each partition has its own seqs', () => {
  const records = [record(5, 0), record(90, 1), record(6, 0), record(91, 1), record(8, 0), record(92, 1)]
  expect(takeAll({ order: 'asc', view: 'log' }, records)).toEqual(['next', 'next', 'next', 'next', [7, 8], 'next'])
})

test('records without a seq are accepted', () => {
  const records = [record(1), record(null), record(2), record(null)]
  expect(takeAll({ order: 'asc', view: 'log' }, records)).toEqual(['next', 'next', 'next', 'next'])
})

const filtered = (seq: number, skipped: number) => ({ ...record(seq), skipped }) as DataRecord<unknown>

test('with a filter, seqs and the numbers of skipped records must agree', () => {
  const sequence = createSequence({ order: 'asc', view: 'log' })
  const take = (seq: number, skipped: number) => sequence.take(filtered(seq, skipped))
  expect([take(10, 4), take(13, 2), take(13, 2)]).toEqual(['next', 'next', 'repeated'])
  // Silence does not change from where the gateway counts.
  sequence.cover(['20'])
  expect(take(22, 8)).toBe('next')
  expect(take(30, 6)).toMatchObject({ expected: 29, found: 30 })
})

test('a reader with a filter that continues gets what it skipped since the record before', () => {
  const sequence = createSequence({ order: 'asc', view: 'log' })
  sequence.begin(['10'])
  expect(sequence.take(filtered(13, 3))).toBe('next')
  sequence.cover(['20'])
  sequence.begin(['20'])
  const next = filtered(22, 2)
  expect(sequence.take(next)).toBe('next')
  expect(next.skipped).toBe(8)
  sequence.begin(['25'])
  expect(sequence.take(filtered(27, 2))).toMatchObject({ expected: 23, found: 27 })
})

test('backwards, skipped counts in the same way', () => {
  expect(takeAll({ order: 'desc', view: 'log' }, [filtered(10, 4), filtered(7, 2), filtered(3, 2)])).toEqual([
    ...['next', 'next', [4, 3]],
  ])
})

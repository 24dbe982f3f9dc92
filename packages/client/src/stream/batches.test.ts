import { expect, test } from 'vitest'
import type { DataRecord } from '../batch.ts'
import { RecordsMissingError } from '../errors.ts'
import { createBatches } from './batches.ts'
import type { StreamMessage } from './connection.ts'

const record = (topic: string, seq: number, partition = 0): StreamMessage => {
  const members = { topic, partition, seq: `${seq}`, cursor: `${topic}${seq}` }
  return { kind: 'record', record: members as DataRecord<unknown> }
}
const progress = (cursors: Record<string, string>, units: Record<string, string> = {}): StreamMessage => ({
  kind: 'progress',
  progress: { cursors, units },
})

/** A summary of batches. */
function read(batches: ReturnType<typeof createBatches>, messages: readonly StreamMessage[]): unknown[] {
  return [...batches(messages)].map(({ topic, records, cursor, ...rest }) => [
    topic,
    records.map(({ seq }) => Number(seq)),
    cursor,
    ...(Object.keys(rest).length > 0 ? [rest] : []),
  ])
}

test('consecutive records of one topic are one batch, with the cursor of the last record', () => {
  const places = new Map([
    ['a', 'a0'],
    ['b', 'b0'],
  ])
  const batches = createBatches(places, 'error')
  const messages = [record('a', 1), record('a', 2), record('b', 7), record('a', 3), record('a', 4)]
  expect(read(batches, messages)).toEqual([
    ['a', [1, 2], 'a2'],
    ['b', [7], 'b7'],
    ['a', [3, 4], 'a4'],
  ])
  expect([...places.values()]).toEqual(['a4', 'b7'])
})

test('a batch has at most 1,000 records', () => {
  const batches = createBatches(new Map(), 'error')
  const messages = Array.from({ length: 2500 }, (_, seq) => record('a', seq))
  expect([...batches(messages)].map(({ records }) => records.length)).toEqual([1000, 1000, 500])
})

test('records that were read before are omitted, also on the next connection', () => {
  const batches = createBatches(new Map(), 'error')
  read(batches, [record('a', 1), record('a', 2)])
  expect(read(batches, [record('a', 2), record('a', 1)])).toEqual([])
  expect(read(batches, [record('a', 2), record('a', 3)])).toEqual([['a', [3], 'a3']])
})

test('a missing seq is an error after the batch before it', () => {
  const batches = createBatches(new Map(), 'error')
  const reading = batches([record('a', 1), record('a', 2), record('a', 4)])
  expect(reading.next().value?.cursor).toBe('a2')
  expect(() => reading.next()).toThrow(RecordsMissingError)
})

test('a missing seq is a gap if onGap is skip', () => {
  const batches = createBatches(new Map(), 'skip')
  expect(read(batches, [record('a', 1), record('a', 4), record('a', 5)])).toEqual([
    ['a', [1], 'a1'],
    ['a', [], 'a1', { gap: { after: 'a1', reason: 'missing' } }],
    ['a', [4, 5], 'a5'],
  ])
})

test('after a removal, each partition may skip seqs once, and no record is repeated', () => {
  const batches = createBatches(new Map(), 'skip')
  read(batches, [record('a', 9, 0), record('a', 5, 1)])
  const gap = { topic: 'a', after: 'old', resumeAt: 'new', reason: 'retention' } as const
  expect(read(batches, [{ kind: 'gap', gap }])).toEqual([
    ['a', [], 'new', { gap: { after: 'old', reason: 'retention' } }],
  ])
  // Only the first partition has lost records. The other one is repeated from its earliest record on.
  expect(
    read(
      batches,
      [4, 5, 6].map((seq) => record('a', seq, 1)),
    ),
  ).toEqual([['a', [6], 'a6']])
  expect(read(batches, [record('a', 30, 0), record('a', 31, 0)])).toEqual([['a', [30, 31], 'a31']])
  for (const [seq, partition] of [
    [33, 0],
    [8, 1],
  ] as const)
    expect(read(batches, [record('a', seq, partition)])).toMatchObject([
      ['a', [], expect.anything(), {}],
      ['a', [seq], expect.anything()],
    ])
})

test('a gap precedes the records of a topic that was created again, whose seqs may start anywhere', () => {
  const places = new Map<string, string>()
  const batches = createBatches(places, 'skip')
  read(batches, [record('a', 9)])
  const gap = { topic: 'a', after: 'a9', resumeAt: 'new', reason: 'recreated' } as const
  expect(read(batches, [{ kind: 'gap', gap }])).toEqual([
    ['a', [], 'new', { gap: { after: 'a9', reason: 'recreated' } }],
  ])
  expect(places.get('a')).toBe('new')
  expect(read(batches, [record('a', 0)])).toEqual([['a', [0], 'a0']])
})

test('progress is a batch only if it has a new cursor or unit', () => {
  const batches = createBatches(new Map([['a', 'a1']]), 'error')
  expect(read(batches, [progress({ a: 'a1' })])).toEqual([])
  expect(read(batches, [progress({ a: 'a1' }, { a: '7' })])).toEqual([['a', [], 'a1', { wholeThrough: '7' }]])
  expect(read(batches, [progress({ a: 'a1' }, { a: '7' })])).toEqual([])
  expect(read(batches, [progress({ a: 'a5' }, { a: '7' })])).toEqual([['a', [], 'a5', { wholeThrough: '7' }]])
})

import { expect, test } from 'vitest'
import type { SinkRecord } from '../destination/destination.ts'
import { type Message, messagesOf } from './messages.ts'

function record(seq: number, members: Partial<SinkRecord> = {}): SinkRecord {
  const place = { topic: 'a.b.c', partition: 0, seq: `${seq}`, offset: `${seq}`, unit: '1', cursor: 'c', key: null }
  return { ...place, time: '2026-01-01T00:00:00Z', op: 'append', value: {}, ...members } as SinkRecord
}

const sent = ({ cursor: _, ...data }: SinkRecord) => data
const only = (...records: SinkRecord[]): Message => [...messagesOf(records, records.length)][0]!

test('an id has no dot, and differs for each record', () => {
  const records = [
    ...[record(1), record(2), record(1, { partition: 1 }), record(1, { topic: 'a.b' })],
    record(1, { seq: null }),
    // The topic was created again.
    record(1, { time: '2026-01-02T00:00:00Z' }),
  ]
  const ids = records.map((one) => only(one).id)
  expect(new Set(ids).size).toBe(records.length)
  for (const id of ids) expect(id).toMatch(/^msg_[\w-]{27}$/)
})

test('an id does not depend on what may differ between two runs', () => {
  expect(only(record(1, { offset: '9' })).id).toBe(only(record(1)).id)
  expect(only(record(1, { cursor: 'd' }))).toMatchObject({ id: only(record(1)).id, body: only(record(1)).body })
})

test('the id of several records is that of these records', () => {
  expect(only(record(1), record(2)).id).toBe(only(record(1), record(2)).id)
  expect(only(record(1), record(2)).id).not.toBe(only(record(1), record(2), record(3)).id)
})

test('a body ends at the number of records or at a mebibyte, and a larger record is alone', () => {
  const large = record(3, { value: { text: 'x'.repeat(2 << 20) } })
  const medium = (seq: number) => record(seq, { value: { text: 'x'.repeat(400_000) } })
  const records = [record(1), record(2), large, medium(4), medium(5), medium(6), record(7), record(8), record(9)]
  const messages = [...messagesOf(records, 4)]
  expect(messages.map(({ records }) => records.map(({ seq }) => Number(seq)))).toEqual([
    [1, 2],
    [3],
    [4, 5],
    [6, 7, 8, 9],
  ])
  expect(JSON.parse(messages[1]!.body)).toEqual({ type: 'a.b.c', timestamp: large.time, data: [sent(large)] })
})

test('without batches, a body has one record', () => {
  const messages = [...messagesOf([record(1), record(2)], 1)]
  expect(messages.map(({ body }) => JSON.parse(body).data)).toEqual([sent(record(1)), sent(record(2))])
})

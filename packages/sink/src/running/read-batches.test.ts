import { expect, test } from 'vitest'
import type { SinkBatch } from '../destination/destination.ts'
import { joinBatches } from './read-batches.ts'

test('waiting batches of a topic are joined up to the limit, in order, and topics take turns', async () => {
  const batch = (topic: string, count: number, cursor: string): SinkBatch => {
    return { topic, cursor, records: Array.from({ length: count }, () => ({ topic }) as never) }
  }
  async function* source() {
    yield* [batch('a', 900, '1'), batch('a', 100, '2'), batch('b', 1, '3'), batch('a', 901, '4'), batch('a', 10, '5')]
  }
  const joined = []
  for await (const { topic, records, cursor } of joinBatches([source()], 1000)) {
    joined.push([topic, records.length, cursor])
    // Meanwhile all others arrive.
    await new Promise(setImmediate)
  }
  expect(joined).toEqual([
    ['a', 900, '1'],
    ['a', 100, '2'],
    ['b', 1, '3'],
    ['a', 911, '5'],
  ])
})

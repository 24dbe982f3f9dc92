import { PositionLostError, type RangeReader, type ReadResult } from '@headrace/queue'
import { expect, test } from 'vitest'
import type { ServedTopic } from '../topics/served-topic.ts'
import { loadRun } from './run.ts'

const topic = {
  ...{ name: 'a.b', id: 'id', partitions: 1 },
  render: ({ offset }: { offset: bigint }) => ({ partition: 0, offset, seq: null, json: new Uint8Array(10) }),
} as unknown as ServedTopic
const range = { partition: 0, from: 0n, to: 10n }

/** A queue with records at 0 to 7, and offsets without records up to its end. */
function openQueue(end: bigint) {
  let reads = 0
  const read = async ({ offset }: { offset: bigint }) => {
    reads++
    if (offset >= 8n) return { batches: [], next: end, end } as ReadResult
    const records = Array.from({ length: 8 }, (_, n) => ({ offset: BigInt(n) }))
    return { batches: [{ nextOffset: 8n, records: () => records }], next: 8n, end } as unknown as ReadResult
  }
  const queue: RangeReader = { read, highWatermark: async () => end }
  return { queue, reads: () => reads }
}

test('a run ends at the end of its range, even if no record follows', async () => {
  const { queue, reads } = openQueue(10n)
  const run = await loadRun(queue, topic, range, 1 << 20)
  expect(run).toMatchObject({ from: 0n, to: 10n })
  expect(run.records).toHaveLength(8)
  expect(reads()).toBe(2)
})

test('a run that ends after the partition is a lost position', async () => {
  await expect(loadRun(openQueue(8n).queue, topic, range, 1 << 20)).rejects.toThrow(PositionLostError)
})

import { expect, test } from 'vitest'
import type { PartitionOffset, Queue } from '../queue.ts'
import type { QueueRecord, RecordBatch } from '../record-batch/record-batch.ts'
import { followTable } from './follow-table.ts'

test('a key whose record is replaced and compacted during the first read has its new value at the end of that read', async () => {
  const topic = 'keys'
  const record = { topic, partition: 0, offset: 1n, key: Buffer.from('a'), value: Buffer.from('later'), time: 1 }
  const ends = [1n, 2n]
  const queue = {
    describe: async () => [{ name: topic, id: 'id', partitions: [{ earliest: 0n, end: 1n }] }],
    highWatermark: async () => (ends.length > 1 ? ends.shift()! : ends[0]!),
    // The earlier value was at offset 0. Compaction has removed it.
    read: async ({ offset }: PartitionOffset) =>
      offset < 1n
        ? { batches: [], next: 1n, end: 1n }
        : { batches: [batchOf({ ...record, headers: [] })], next: 2n, end: 2n },
    async *follow() {},
  } as unknown as Queue
  const { signal } = new AbortController()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const table = await followTable(queue, { topic, signal, log, decode: ({ value }) => Buffer.from(value!).toString() })
  expect([...table]).toEqual([['a', 'later']])
})

function batchOf(record: QueueRecord): RecordBatch {
  const { topic, partition, offset } = record
  return {
    ...{ topic, partition, baseOffset: offset, nextOffset: offset + 1n, maxTime: 1, byteLength: 1 },
    records: () => [record].values(),
  } as unknown as RecordBatch
}

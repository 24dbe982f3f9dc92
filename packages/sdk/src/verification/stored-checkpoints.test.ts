import { type Checkpoint, checkpointKey, checkpointRingKey, encodeCheckpoint, systemTopics } from '@headrace/catalog'
import type { Queue, QueueRecord, RecordBatch } from '@headrace/queue'
import { expect, test } from 'vitest'
import { readStoredCheckpoints } from './stored-checkpoints.ts'

test('a checkpoint that is replaced during the read is read from its replacement', async () => {
  const writerId = 'acme.ships/main'
  const checkpoint = (unit: number): Checkpoint => ({
    unit,
    previous: unit > 1 ? unit - 1 : null,
    position: { unit },
    nextSeq: {},
    final: null,
    time: {},
  })
  // Compaction has removed unit 1 from offsets 0 and 1, because unit 2 is at 2 and 3.
  const ends = [2n, 4n]
  const later = [
    recordAt(2n, checkpointKey(writerId), encodeCheckpoint(checkpoint(2))),
    recordAt(3n, checkpointRingKey(writerId, 2), encodeCheckpoint(checkpoint(2))),
  ]
  const queue = {
    describe: async () => [{ name: systemTopics.checkpoints, partitions: everyPartition }],
    highWatermark: async () => (ends.length > 1 ? ends.shift()! : ends[0]!),
    read: async ({ offset }: { offset: bigint }) =>
      offset < 2n ? { batches: [], next: 2n, end: 2n } : { batches: [batchOf(later)], next: 4n, end: 4n },
  } as unknown as Queue
  const { newest, highest } = await readStoredCheckpoints(queue, writerId, new AbortController().signal)
  expect(newest?.unit).toBe(2)
  expect(highest?.unit).toBe(2)
})

const everyPartition = Array.from({ length: 100 }, () => ({ earliest: 0n, end: 2n }))

function recordAt(offset: bigint, key: Uint8Array, value: Uint8Array): QueueRecord {
  return { topic: systemTopics.checkpoints, partition: 0, offset, key, value, time: 1, headers: [] }
}

function batchOf(records: readonly QueueRecord[]): RecordBatch {
  const batch = {
    topic: systemTopics.checkpoints,
    partition: 0,
    baseOffset: records[0]!.offset,
    nextOffset: records.at(-1)!.offset + 1n,
    maxTime: 1,
    byteLength: 1,
    records: () => records.values(),
    from: () => batch,
  }
  return batch as unknown as RecordBatch
}

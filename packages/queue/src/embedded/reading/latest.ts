import { DamagedBatchError } from '../../errors.ts'
import type { QueueRecord } from '../../record-batch/record-batch.ts'
import { describePlace } from '../../record-batch/stored-batch.ts'
import type { Engine } from '../engine.ts'
import { createKeyMarker } from '../storage/key-bits.ts'
import type { Partition } from '../storage/topics.ts'

/**
 * The newest record of a key. It does not wait: a transaction gets its offsets when it is committed, so no open one can
 * change the result.
 *
 * @throws {DamagedBatchError} also where a batch was lost that may have held the record.
 */
export function findLatest(
  { inSnapshot, topics, batches }: Engine,
  partition: Partition,
  key: Uint8Array,
): QueueRecord | undefined {
  const wanted = createKeyMarker()
  wanted.add(key)
  return inSnapshot(() => {
    const earliest = topics.earliest(partition)
    for (const row of batches.newestWith(partition, wanted, earliest)) {
      if (row.bytesId === 0) throw lostBatchError(partition, row.baseOffset)
      const found = newestOf(batches.load(partition, row).from(BigInt(earliest)).records(), key)
      if (found) return found
    }
    return undefined
  })
}

function newestOf(records: Iterable<QueueRecord>, key: Uint8Array): QueueRecord | undefined {
  let newest: QueueRecord | undefined
  for (const record of records) if (record.key !== null && Buffer.compare(record.key, key) === 0) newest = record
  return newest
}

function lostBatchError({ topic, number }: Partition, offset: number): DamagedBatchError {
  const place = describePlace({ topic, partition: number }, BigInt(offset))
  return new DamagedBatchError(place, 'it was lost before a repair, and may have held the newest record of the key')
}

import type { QueueRecord } from '../../record-batch/record-batch.ts'
import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topic-rows.ts'

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
  return inSnapshot(() => {
    const row = batches.newest(partition, key, topics.earliest(partition))
    return row && batches.load(partition, row).records().next().value
  })
}

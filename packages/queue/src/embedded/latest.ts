import type { QueueRecord } from '../record-batch/record-batch.ts'
import type { Engine } from './engine.ts'
import { createKeyBits } from './key-bits.ts'
import type { Partition } from './topics.ts'

/**
 * The newest record of a key. A transaction takes its place among the others only when it is committed, so no open one
 * lies before the end and there is nothing to wait for.
 */
export function findLatest(engine: Engine, partition: Partition, key: Uint8Array): QueueRecord | undefined {
  const wanted = createKeyBits()
  wanted.add(key)
  return engine.atOneMoment(() => {
    const earliest = BigInt(engine.topics.earliest(partition))
    for (const batch of engine.batches.newestWith(partition, wanted.value())) {
      if (batch.lastOffset < earliest) return undefined
      const found = newestOf(batch.from(earliest).records(), key)
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

import type { TopicPartition } from '../../queue.ts'
import { readRange } from '../../reading/read-range.ts'
import { maxRounds } from '../../reading/read-table.ts'
import type { QueueRecord } from '../../record-batch/record-batch.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'
import { confirmLeader } from './high-watermark.ts'
import { rangeReader, retryIfTruncated } from './range-reader.ts'
import { stableEnd } from './stable-end.ts'

/** Reads backwards. */
export function latest(cluster: Cluster, place: TopicPartition, key: Uint8Array): Promise<QueueRecord | undefined> {
  const wanted = Buffer.from(key)
  return retryIfTruncated(async () => {
    await confirmLeader(cluster, place)
    let from = await listOffset(cluster, place, 'earliest')
    for (let round = 0; round < maxRounds; round++) {
      const to = await stableEnd(cluster, place)
      if (to <= from) break
      const range = { ...place, from, to }
      // Records that deleteBefore removes during the read are not the newest of their key.
      for await (const batch of readRange(rangeReader(cluster), range, { order: 'desc', onRemoved() {} })) {
        const found = [...batch.records()].findLast((record) => record.key && wanted.equals(record.key))
        if (found) return found
      }
      // Compaction may have removed the record because of a newer one after `to`.
      from = to
    }
    return undefined
  })
}

import type { TopicPartition } from '../../queue.ts'
import { readRange } from '../../reading/read-range.ts'
import { mostRounds } from '../../reading/read-table.ts'
import type { QueueRecord } from '../../record-batch/record-batch.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'
import { confirmLeader } from '../connection/confirm-leader.ts'
import { rangeReader } from './range-reader.ts'
import { stableEnd } from './stable-end.ts'
import { whileCutBack } from './while-cut-back.ts'

/**
 * The final committed record of a key, at least as new as what was committed when this was called. Reads backwards until
 * it is found.
 *
 * @throws {QueueUnavailableError} a transaction stayed open for too long.
 * @throws {UnknownTopicError}
 */
export function latest(cluster: Cluster, place: TopicPartition, key: Uint8Array): Promise<QueueRecord | undefined> {
  const wanted = Buffer.from(key)
  return whileCutBack(async () => {
    await confirmLeader(cluster, place)
    let from = await listOffset(cluster, place, 'earliest')
    for (let round = 0; round < mostRounds; round++) {
      const to = await stableEnd(cluster, place)
      if (to <= from) break
      const range = { ...place, from, to }
      // What deleteBefore removes while this reads is not the newest record of its key.
      for await (const batch of readRange(rangeReader(cluster), range, { order: 'desc', onRemoved() {} })) {
        const found = [...batch.records()].findLast((record) => record.key && wanted.equals(record.key))
        if (found) return found
      }
      // A record is compacted away because of a later one, which may be after this end.
      from = to
    }
    return undefined
  })
}

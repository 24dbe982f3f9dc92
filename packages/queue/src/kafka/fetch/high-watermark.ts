import type { TopicPartition } from '../../queue.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'
import { confirmLeader } from '../connection/confirm-leader.ts'

/**
 * The offset after every record that was committed before the call. A leader that was replaced while it was cut off from
 * the others has an older one.
 *
 * @throws {QueueUnavailableError} too few replicas answer.
 * @throws {UnknownTopicError}
 */
export async function highWatermark(cluster: Cluster, place: TopicPartition): Promise<bigint> {
  await confirmLeader(cluster, place)
  return listOffset(cluster, place, 'highWatermark')
}

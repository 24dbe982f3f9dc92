import { UnknownTopicError } from '../../errors.ts'
import type { TopicPartition } from '../../queue.ts'
import { listOffset } from '../admin/list-offsets.ts'
import { NoAnswerError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { enoughOf } from '../connection/enough-of.ts'

export async function highWatermark(cluster: Cluster, place: TopicPartition): Promise<bigint> {
  await confirmLeader(cluster, place)
  return listOffset(cluster, place, 'highWatermark')
}

/**
 * Updates the metadata until the known leader is not older than this call: a replaced one that is cut off answers with
 * old data. Of half of the replicas, one knows the newest term if `min.insync.replicas` is more than half.
 */
export function confirmLeader(cluster: Cluster, { topic, partition }: TopicPartition): Promise<void> {
  return cluster.retry(`confirming the leader of "${topic}" partition ${partition}`, async () => {
    const { metadata, connections } = cluster
    const found = (await metadata.fetch([topic])).get(topic)
    const term = found?.leaders[partition]
    if (!term) throw new UnknownTopicError(topic, found && partition)
    const needed = Math.ceil(term.replicas.length / 2)
    const asked = term.replicas.map(async (node) => {
      await metadata.fetch([topic], await connections.to(metadata.address(node)))
      return true
    })
    if (!(await enoughOf(needed, asked)))
      throw new NoAnswerError(`fewer than ${needed} of ${term.replicas.length} replicas answered`)
  })
}

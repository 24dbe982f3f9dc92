import { PositionLostError, TopicMismatchError } from '../../errors.ts'
import type { PartitionOffset } from '../../queue.ts'
import { brokerErrorCodes, checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { deleteRecordsV2 } from '../connection/requests.ts'
import { boundsOf } from './list-offsets.ts'

export async function deleteBefore(cluster: Cluster, at: PartitionOffset): Promise<void> {
  const { topic, partition, offset } = at
  const bounds = await boundsOf(cluster, at)
  // For the broker −1 is the high watermark, which is after records of open transactions.
  if (offset < 0n || offset > bounds.end) throw new PositionLostError(at, bounds)
  if (offset <= bounds.earliest) return
  await cluster.onLeader(`deleting from "${topic}"`, at, async (leader) => {
    const connection = await leader.connect()
    const topics = [{ name: topic, partitions: [{ partitionIndex: partition, offset }] }]
    const answer = await connection.request(deleteRecordsV2.api, topics, cluster.settings.requestTimeoutMs)
    const { errorCode } = answer.topics[0]!.partitions[0]!
    if (errorCode === brokerErrorCodes.OFFSET_OUT_OF_RANGE) throw new PositionLostError(at, bounds)
    if (errorCode === brokerErrorCodes.POLICY_VIOLATION) {
      throw new TopicMismatchError(topic, 'it is compacted, and records can be removed only with cleanup.policy=delete')
    }
    checkAnswer(errorCode, `deleting from "${topic}"`, { request: 'DeleteRecords', topic })
  })
}

import { PositionLostError } from '../../errors.ts'
import type { PartitionOffset } from '../../queue.ts'
import { listOffset } from '../admin/list-offsets.ts'
import { BrokerError, brokerErrorCodes } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'

/**
 * What an answer of OFFSET_OUT_OF_RANGE means: the offset is lost or, where it lies within the partition by now, a new
 * leader had not caught up and the same request may succeed (KIP-392 calls this OFFSET_NOT_AVAILABLE).
 */
export async function explainOutOfRange(cluster: Cluster, at: PartitionOffset): Promise<Error> {
  const [lost, highWatermark] = await Promise.all([
    positionLost(cluster, at, 'out_of_range'),
    listOffset(cluster, at, 'highWatermark'),
  ])
  if (at.offset < lost.earliest || at.offset > highWatermark) return lost
  return new BrokerError(brokerErrorCodes.OFFSET_NOT_AVAILABLE, `reading "${at.topic}" partition ${at.partition}`)
}

/** Says what the partition holds instead. */
export async function positionLost(
  cluster: Cluster,
  at: PartitionOffset,
  reason: PositionLostError['reason'],
): Promise<PositionLostError> {
  const [earliest, end] = await Promise.all([
    listOffset(cluster, at, 'earliest'),
    listOffset(cluster, at, 'lastStable'),
  ])
  return new PositionLostError(at, { earliest, end }, reason)
}

import { PositionLostError } from '../../errors.ts'
import type { PartitionOffset } from '../../queue.ts'
import { listOffset } from '../admin/list-offsets.ts'
import { BrokerError, brokerErrorCodes } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { highWatermark } from './high-watermark.ts'

/**
 * What an answer of OFFSET_OUT_OF_RANGE means: the offset is lost or, where it lies within the partition by now, a new
 * leader had not caught up and the same request may succeed (KIP-392 calls this OFFSET_NOT_AVAILABLE). A leader that was
 * replaced while it was cut off from the others does not have what came since.
 */
export async function explainOutOfRange(cluster: Cluster, at: PartitionOffset): Promise<Error> {
  const known = await listOffset(cluster, at, 'highWatermark')
  const end = at.offset > known ? await highWatermark(cluster, at) : known
  const lost = await positionLost(cluster, at, 'out_of_range')
  if (at.offset < lost.earliest || at.offset > end) return lost
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

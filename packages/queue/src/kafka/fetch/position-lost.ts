import { PositionLostError } from '../../errors.ts'
import type { PartitionOffset } from '../../queue.ts'
import { boundsOf, listOffset } from '../admin/list-offsets.ts'
import { BrokerError, brokerErrorCodes } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { highWatermark } from './high-watermark.ts'

/** OFFSET_OUT_OF_RANGE may also mean that a leader had not caught up yet (in KIP-392: OFFSET_NOT_AVAILABLE). */
export async function explainOutOfRange(cluster: Cluster, at: PartitionOffset): Promise<Error> {
  const known = await listOffset(cluster, at, 'highWatermark')
  // A replaced leader that is cut off reports an old high watermark.
  const end = at.offset > known ? await highWatermark(cluster, at) : known
  const lost = await positionLost(cluster, at, 'out_of_range')
  if (at.offset < lost.earliest || at.offset > end) return lost
  return new BrokerError(brokerErrorCodes.OFFSET_NOT_AVAILABLE, `reading "${at.topic}" partition ${at.partition}`)
}

export async function positionLost(
  cluster: Cluster,
  at: PartitionOffset,
  reason: PositionLostError['reason'],
): Promise<PositionLostError> {
  return new PositionLostError(at, await boundsOf(cluster, at), reason)
}

import { UnknownTopicError } from '../../errors.ts'
import type { PartitionOffset } from '../../queue.ts'
import type { Cluster } from '../connection/cluster.ts'
import { positionLost } from './position-lost.ts'

/**
 * The id by which a place is fetched: a broker answers for no other topic, whatever its name (KIP-516).
 *
 * @throws {PositionLostError} the topic is not the one that the place names.
 * @throws {UnknownTopicError}
 */
export async function topicIdOf(cluster: Cluster, at: PartitionOffset): Promise<string> {
  const { metadata } = cluster
  const { topic, topicId: wanted } = at
  let found = metadata.topicId(topic)
  // What is remembered may be the older of the two.
  if (found === undefined || (wanted !== undefined && found !== wanted)) {
    found = (await metadata.fetch([topic])).get(topic)?.id
  }
  if (found === undefined) throw new UnknownTopicError(topic)
  if (wanted !== undefined && found !== wanted) throw await positionLost(cluster, at, 'recreated')
  return found
}

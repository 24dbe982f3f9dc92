import type { TopicPartition } from '../../queue.ts'
import { isTransient } from './broker-error.ts'
import type { Cluster } from './cluster.ts'

/** Groups places by the node that leads their partition. Throws `UnknownTopicError`, or a transient error. */
export async function groupByLeader<P extends TopicPartition>(
  cluster: Cluster,
  places: readonly P[],
): Promise<Map<number, P[]>> {
  const groups = new Map<number, P[]>()
  for (const place of places) {
    const { node } = await cluster.metadata.leader(place.topic, place.partition)
    const group = groups.get(node)
    if (group) group.push(place)
    else groups.set(node, [place])
  }
  return groups
}

/** Runs an attempt that concerns these places; if it fails because leadership moved, their leaders are asked for anew. */
export async function forgettingLeaders<T>(
  cluster: Cluster,
  places: readonly TopicPartition[],
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (isTransient(error)) for (const { topic } of places) cluster.metadata.forget(topic)
    throw error
  }
}

import { UnknownTopicError } from '../../errors.ts'
import type { PartitionBounds, TopicDescription } from '../../queue.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { TopicMetadata } from '../connection/metadata.ts'
import { describeTopicSettings } from './describe-settings.ts'
import { listOffsets } from './list-offsets.ts'

export async function describeTopics(cluster: Cluster, names?: readonly string[]): Promise<TopicDescription[]> {
  const found = await cluster.onAny('describing topics', () => cluster.metadata.fetch(names ?? null))
  const topics = [...found.values()].filter(({ internal }) => !internal)
  const settings = await describeTopicSettings(
    cluster,
    topics.map(({ name }) => name),
    ['cleanup.policy'],
  )
  const bounds = await listBounds(cluster, topics)
  return topics
    .filter(({ name }) => bounds.has(name))
    .map(({ name, id }): TopicDescription => {
      const policy = settings.get(name)?.get('cleanup.policy')
      const cleanup = policy?.includes('compact') ? 'compact' : 'delete'
      return { name, id, cleanup: policy == null ? undefined : cleanup, partitions: bounds.get(name)! }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Without topics that were deleted in the meantime. */
async function listBounds(
  cluster: Cluster,
  topics: readonly TopicMetadata[],
): Promise<ReadonlyMap<string, PartitionBounds[]>> {
  const places = topics.flatMap(({ name, leaders }) => leaders.map((_, partition) => ({ topic: name, partition })))
  try {
    const [earliest, ends] = await Promise.all([
      listOffsets(cluster, places, 'earliest'),
      listOffsets(cluster, places, 'lastStable'),
    ])
    const bounds = new Map<string, PartitionBounds[]>(topics.map(({ name }) => [name, []]))
    for (const [index, { topic }] of places.entries())
      bounds.get(topic)!.push({ earliest: earliest[index]!, end: ends[index]! })
    return bounds
  } catch (error) {
    if (!(error instanceof UnknownTopicError)) throw error
    return listBounds(
      cluster,
      topics.filter(({ name }) => name !== error.topic),
    )
  }
}

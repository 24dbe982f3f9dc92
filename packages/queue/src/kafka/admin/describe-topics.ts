import { UnknownTopicError } from '../../errors.ts'
import type { TopicDescription } from '../../queue.ts'
import type { Cluster } from '../connection/cluster.ts'
import { placesOf } from '../connection/metadata.ts'
import { describeTopicSettings, type TopicWithSettings } from './describe-settings.ts'
import { listBounds } from './list-offsets.ts'

export async function describeTopics(cluster: Cluster, names?: readonly string[]): Promise<TopicDescription[]> {
  const found = await cluster.onAny('describing topics', () => cluster.metadata.fetch(names ?? null))
  const topics = [...found.values()].filter(({ internal }) => !internal)
  const described = await withBounds(cluster, await describeTopicSettings(cluster, topics, ['cleanup.policy']))
  return described.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Adds the bounds of partitions, and omits topics that have been deleted since they were listed. */
async function withBounds(cluster: Cluster, topics: readonly TopicWithSettings[]): Promise<TopicDescription[]> {
  const places = topics.flatMap(placesOf)
  try {
    const bounds = await listBounds(cluster, places)
    return topics.map(({ name, id, leaders, settings }) => {
      const policy = settings?.get('cleanup.policy')
      const cleanup = policy?.includes('compact') ? 'compact' : 'delete'
      return { name, id, cleanup: policy == null ? undefined : cleanup, partitions: bounds.splice(0, leaders.length) }
    })
  } catch (error) {
    if (!(error instanceof UnknownTopicError)) throw error
    const remaining = topics.filter(({ name }) => name !== error.topic)
    return withBounds(cluster, remaining)
  }
}

import type { Cluster } from '../connection/cluster.ts'
import { describeTopicSettings } from './describe-settings.ts'

export interface KnownTopic {
  readonly partitions: number
  /** Bytes of the largest batch that the topic takes. */
  readonly maxBatchBytes: number
  readonly compacted: boolean
}

/** What `send` must know of a topic at once, without asking. */
export interface TopicDirectory {
  get(topic: string): KnownTopic | undefined
  /** Asks for the named topics, or all. */
  load(topics: readonly string[] | null): Promise<void>
}

export function createTopicDirectory(cluster: Cluster): TopicDirectory {
  const known = new Map<string, KnownTopic>()
  return {
    get: (topic) => known.get(topic),
    async load(names) {
      const found = await cluster.onAny('looking for topics', () => cluster.metadata.fetch(names))
      const topics = [...found.values()].filter(({ internal }) => !internal)
      const settings = await describeTopicSettings(
        cluster,
        topics.map(({ name }) => name),
        ['max.message.bytes', 'cleanup.policy'],
      )
      for (const { name, leaders } of topics) {
        const seen = settings.get(name)
        known.set(name, {
          partitions: leaders.length,
          maxBatchBytes: Number(seen?.get('max.message.bytes') ?? defaultMaxMessageBytes),
          compacted: seen?.get('cleanup.policy')?.includes('compact') ?? false,
        })
      }
    },
  }
}

/** Kafka's default of `max.message.bytes`, taken where the setting may not be seen. The broker has the last word. */
const defaultMaxMessageBytes = 1_048_588

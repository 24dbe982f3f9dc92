import type { Cluster } from '../connection/cluster.ts'
import type { TopicMetadata } from '../connection/metadata.ts'
import { describeTopicSettings, type Settings } from './describe-settings.ts'
import { durabilitySettings } from './durability.ts'

export interface KnownTopic {
  readonly partitions: number
  /** Bytes of the largest batch that the topic takes. */
  readonly maxBatchBytes: number
  readonly compacted: boolean
}

/** What the brokers have just said of a topic. */
export interface LoadedTopic extends TopicMetadata {
  /** `cleanup.policy` and `durabilitySettings`; `undefined` where they may not be seen. */
  readonly settings: Settings | undefined
}

/** What `send` must know of a topic at once, without asking. */
export interface TopicDirectory {
  get(topic: string): KnownTopic | undefined
  /** Asks for the named topics, or all, and gives those that exist. */
  load(topics: readonly string[] | null): Promise<LoadedTopic[]>
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
        ['cleanup.policy', ...durabilitySettings],
      )
      const loaded = topics.map((topic): LoadedTopic => ({ ...topic, settings: settings.get(topic.name) }))
      for (const { name, leaders, settings: seen } of loaded)
        known.set(name, {
          partitions: leaders.length,
          maxBatchBytes: Number(seen?.get('max.message.bytes') ?? defaultMaxMessageBytes),
          compacted: seen?.get('cleanup.policy')?.includes('compact') ?? false,
        })
      return loaded
    },
  }
}

/** Kafka's default of `max.message.bytes`, taken where the setting may not be seen. The broker has the last word. */
const defaultMaxMessageBytes = 1_048_588

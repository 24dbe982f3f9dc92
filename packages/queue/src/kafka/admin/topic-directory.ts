import type { Cluster } from '../connection/cluster.ts'
import { describeTopicSettings, type TopicWithSettings } from './describe-settings.ts'
import { durabilitySettings } from './durability.ts'

export interface KnownTopic {
  readonly partitions: number
  readonly maxBatchBytes: number
  readonly compacted: boolean
}

/** What `send` needs without waiting. */
export interface TopicDirectory {
  get(topic: string): KnownTopic | undefined
  /** The named topics that exist, or all. Settings: `cleanup.policy` and `durabilitySettings`. */
  load(topics: readonly string[] | null): Promise<TopicWithSettings[]>
}

export function createTopicDirectory(cluster: Cluster): TopicDirectory {
  const known = new Map<string, KnownTopic>()
  return {
    get: (topic) => known.get(topic),
    async load(names) {
      const found = await cluster.onAny('looking for topics', () => cluster.metadata.fetch(names))
      const topics = [...found.values()].filter(({ internal }) => !internal)
      const loaded = await describeTopicSettings(cluster, topics, ['cleanup.policy', ...durabilitySettings])
      for (const { name, leaders, settings } of loaded)
        known.set(name, {
          partitions: leaders.length,
          maxBatchBytes: Number(settings?.get('max.message.bytes') ?? defaultMaxMessageBytes),
          compacted: settings?.get('cleanup.policy')?.includes('compact') ?? false,
        })
      return loaded
    },
  }
}

/** Kafka's default, for topics whose settings are hidden. */
const defaultMaxMessageBytes = 1_048_588

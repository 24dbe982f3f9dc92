import { type Compression, compressions } from '../../record-batch/compression.ts'
import type { Cluster } from '../connection/cluster.ts'
import { describeTopicSettings, type TopicWithSettings } from './describe-settings.ts'
import { durabilitySettings } from './durability.ts'

export interface KnownTopic {
  readonly partitions: number
  readonly maxBatchBytes: number
  readonly compacted: boolean
  /** What the brokers store, unless they keep the compression of the writer. */
  readonly compression: Compression | undefined
}

/** What `send` needs without waiting. */
export interface TopicDirectory {
  get(topic: string): KnownTopic | undefined
  /** The named topics that exist, or all. Settings: `directorySettings` and `durabilitySettings`. */
  load(topics: readonly string[] | null): Promise<TopicWithSettings[]>
}

export function createTopicDirectory(cluster: Cluster): TopicDirectory {
  const known = new Map<string, KnownTopic>()
  return {
    get: (topic) => known.get(topic),
    async load(names) {
      const found = await cluster.onAny('looking for topics', () => cluster.metadata.fetch(names))
      const topics = [...found.values()].filter(({ internal }) => !internal)
      const loaded = await describeTopicSettings(cluster, topics, [...directorySettings, ...durabilitySettings])
      for (const { name, leaders, settings } of loaded)
        known.set(name, {
          partitions: leaders.length,
          maxBatchBytes: Number(settings?.get('max.message.bytes') ?? defaultMaxMessageBytes),
          compacted: settings?.get('cleanup.policy')?.includes('compact') ?? false,
          compression: storedCompression(settings?.get('compression.type')),
        })
      return loaded
    },
  }
}

const directorySettings = ['cleanup.policy', 'compression.type']

/** Kafka's names are those of the codecs, with two more. */
function storedCompression(setting: string | null | undefined): Compression | undefined {
  return setting === 'uncompressed' ? 'none' : compressions.find((name) => name === setting)
}

/** Kafka's default, for topics whose settings are hidden. */
const defaultMaxMessageBytes = 1_048_588

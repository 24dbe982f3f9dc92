import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  createRegistryClients,
  createTopicFormat,
  type FollowedContents,
  followContents,
  isAdopted,
  type TopicContent,
  type TopicFormat,
  type TopicRegistration,
} from '@headrace/catalog'
import type { Queue, TopicDescription } from '@headrace/queue'
import type { Logger } from 'pino'
import { topicNotFound } from '../errors.ts'
import { createServedTopic, type ServedTopic, type ServedTopicOptions } from './served-topic.ts'

export interface TopicDirectory {
  /** Live, by GUID. */
  readonly earlierSchemas: FollowedContents['earlierSchemas']
  readonly catchUp: FollowedContents['catchUp']
  list(): TopicContent[]
  /** Those that connectors write, in the same order. */
  registrations(): TopicRegistration[]
  /** Whether other programs write the topic. */
  isForeign(name: string): boolean
  open(name: string): Promise<OpenTopic>
  refresh(topic: ServedTopic): ServedTopic
}

export interface OpenTopic {
  readonly topic: ServedTopic
  readonly description: TopicDescription
}

export interface FollowTopicsOptions {
  readonly queue: Queue
  readonly signal: AbortSignal
  readonly log: Logger
  readonly schemaRegistries?: readonly string[]
}

const partitionLimit = 64
/** A request waits for a schema registry, and may be repeated. In ms. */
const schemaRegistryMs = 5000

/** Follows the registry and the adopted topics until aborted. Resolves when all registered topics have been read. */
export async function followTopics(options: FollowTopicsOptions): Promise<TopicDirectory> {
  const { queue, signal, log, schemaRegistries = [] } = options
  const contents = await followContents(queue, { signal, log })
  const schemaRegistry = createRegistryClients({ schemaRegistries, timeoutMs: schemaRegistryMs, attempts: 1, signal })
  const formats = new WeakMap<TopicContent, TopicFormat>()
  const served = new Map<string, ServedTopic>()
  const describe = createDescribeTopic(queue)
  return {
    earlierSchemas: contents.earlierSchemas,
    catchUp: contents.catchUp,
    list: () => contents.values().sort(byName),
    registrations: () => [...contents.registrations.values()].sort(byName),
    isForeign(name) {
      const content = contents.get(name)
      return content !== undefined && isAdopted(content)
    },
    async open(name) {
      const content = contents.get(name)
      const description = content && (await describe(name))
      if (!content || !description) throw topicNotFound(name)
      const partitions = description.partitions.length
      if (partitions > partitionLimit)
        throw topicNotFound(
          name,
          `This topic has ${partitions} partitions. A gateway serves topics with at most ${partitionLimit}.`,
        )
      return { topic: servedTopic({ content, id: description.id, partitions }), description }
    },
    refresh: ({ name, content, id, partitions }) =>
      servedTopic({ content: contents.get(name) ?? content, id, partitions }),
  }

  function servedTopic({ content, id, partitions }: Omit<ServedTopicOptions, 'format'>): ServedTopic {
    const known = served.get(content.topic)
    if (known?.content === content && known.id === id && known.partitions === partitions) return known
    const format = formats.get(content) ?? createTopicFormat(content, { schemaRegistry })
    formats.set(content, format)
    const topic = createServedTopic({ content, format, id, partitions })
    served.set(topic.name, topic)
    return topic
  }
}

function byName(one: TopicContent, other: TopicContent): number {
  return one.topic < other.topic ? -1 : 1
}

/**
 * Joins all calls of one turn of the event loop. The request is sent after the last call, so that no description is
 * older than its call.
 */
export function createDescribeTopic(queue: Queue): (name: string) => Promise<TopicDescription | undefined> {
  let names = new Set<string>()
  let described: Promise<ReadonlyMap<string, TopicDescription>> | undefined
  return async (name) => {
    names.add(name)
    described ??= describeAll()
    return (await described).get(name)
  }

  async function describeAll(): Promise<ReadonlyMap<string, TopicDescription>> {
    await nextTurn()
    const wanted = [...names]
    names = new Set()
    described = undefined
    return new Map((await queue.describe(wanted)).map((description) => [description.name, description]))
  }
}

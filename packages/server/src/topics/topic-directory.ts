import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FollowedRegistry, followRegistry, type TopicRegistration } from '@headrace/catalog'
import type { Queue, TopicDescription } from '@headrace/queue'
import type { Logger } from 'pino'
import { topicNotFound } from '../errors.ts'
import { createServedTopic, type ServedTopic, type ServedTopicOptions } from './served-topic.ts'

export interface TopicDirectory {
  /** Live, by GUID. */
  readonly earlierSchemas: FollowedRegistry['earlierSchemas']
  readonly catchUp: FollowedRegistry['catchUp']
  list(): TopicRegistration[]
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
}

const partitionLimit = 64

/** Follows the registry until aborted. Resolves when all registered topics have been read. */
export async function followTopics({ queue, signal, log }: FollowTopicsOptions): Promise<TopicDirectory> {
  const { registrations, earlierSchemas, catchUp } = await followRegistry(queue, { signal, log })
  const served = new Map<string, ServedTopic>()
  const describe = createDescribeTopic(queue)
  return {
    earlierSchemas,
    catchUp,
    list: () => [...registrations.values()].sort((a, b) => (a.topic < b.topic ? -1 : 1)),
    async open(name) {
      const registration = registrations.get(name)
      const description = registration && (await describe(name))
      if (!registration || !description) throw topicNotFound(name)
      const partitions = description.partitions.length
      if (partitions > partitionLimit)
        throw topicNotFound(
          name,
          `This topic has ${partitions} partitions. A gateway serves topics with at most ${partitionLimit}.`,
        )
      return { topic: servedTopic({ registration, id: description.id, partitions }), description }
    },
    refresh: ({ name, registration, id, partitions }) =>
      servedTopic({ registration: registrations.get(name) ?? registration, id, partitions }),
  }

  function servedTopic(options: ServedTopicOptions): ServedTopic {
    const { registration, id, partitions } = options
    const known = served.get(registration.topic)
    if (known?.registration === registration && known.id === id && known.partitions === partitions) return known
    const topic = createServedTopic(options)
    served.set(topic.name, topic)
    return topic
  }
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

import { setImmediate as nextTurn } from 'node:timers/promises'
import { followRegistry, type TopicRegistration } from '@headrace/catalog'
import type { Queue, TopicDescription } from '@headrace/queue'
import type { Logger } from 'pino'
import { RefusedError } from '../errors.ts'
import { createServedTopic, type ServedTopic, type ServedTopicOptions } from './served-topic.ts'

/** The topics in the registry, as they are now. */
export interface TopicDirectory {
  /** In order of name. */
  list(): TopicRegistration[]
  /**
   * A topic and where its records lie at this moment.
   *
   * @throws {RefusedError} `topic_not_found`
   */
  open(name: string): Promise<OpenTopic>
  /** A topic that was opened before, with the schema that is registered for it now. */
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

/** Follows the registry. Resolves when every topic registered before the call is known; goes on until aborted. */
export async function followTopics({ queue, signal, log }: FollowTopicsOptions): Promise<TopicDirectory> {
  const registrations = await followRegistry(queue, { signal, log })
  const served = new Map<string, ServedTopic>()
  const describe = createDescribeTopic(queue)
  return {
    list: () => [...registrations.values()].sort((a, b) => (a.topic < b.topic ? -1 : 1)),
    async open(name) {
      const registration = registrations.get(name)
      const description = registration && (await describe(name))
      if (!registration || !description)
        throw new RefusedError('topic_not_found', 'There is no topic of this name.', { members: { topic: name } })
      const partitions = description.partitions.length
      // A cursor would not hold them.
      if (partitions > partitionLimit)
        throw new RefusedError(
          'topic_not_found',
          `No topic of this name can be read: it has ${partitions} partitions, and at most ${partitionLimit} are served.`,
          { members: { topic: name } },
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

/** Describes one topic; `undefined` where there is none of the name. */
export type DescribeTopic = (name: string) => Promise<TopicDescription | undefined>

/**
 * Asks the queue once for all who want a description in the same turn of the event loop. It is asked after the last of
 * them, so that nobody is told less than what was there when he asked.
 */
export function createDescribeTopic(queue: Queue): DescribeTopic {
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

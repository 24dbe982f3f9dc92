import { setTimeout as wait } from 'node:timers/promises'
import { followRegistry, type TopicRegistration } from '@headrace/catalog'
import type { Queue, TopicDescription } from '@headrace/queue'
import type { Logger } from 'pino'
import { RefusedError } from '../errors.ts'
import { createServedTopic, type ServedTopic } from './served-topic.ts'

/** The topics in the registry, as they are now. */
export interface TopicDirectory {
  /** In order of name. */
  list(): TopicRegistration[]
  /**
   * A topic and where its records lie at this moment.
   *
   * @throws {RefusedError} `topic_not_found`, `unsupported_topic`
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

const retryMs = 1000

/** Follows the registry. Resolves when every topic registered before the call is known; goes on until aborted. */
export async function followTopics({ queue, signal, log }: FollowTopicsOptions): Promise<TopicDirectory> {
  const registrations = new Map<string, TopicRegistration>()
  const served = new Map<string, ServedTopic>()
  await follow()
  return {
    list: () => [...registrations.values()].sort((a, b) => (a.topic < b.topic ? -1 : 1)),
    async open(name) {
      const registration = registrations.get(name)
      const [description] = registration ? await queue.describe([name]) : []
      if (!registration || !description)
        throw new RefusedError('topic_not_found', 'There is no topic of this name.', { members: { topic: name } })
      if (description.partitions.length !== 1)
        throw new RefusedError(
          'unsupported_topic',
          `The topic has ${description.partitions.length} partitions; one can be read.`,
          {
            members: { topic: name },
          },
        )
      return { topic: servedTopic(registration, description.id), description }
    },
    refresh: (topic) => servedTopic(registrations.get(topic.name) ?? topic.registration, topic.id),
  }

  async function follow(): Promise<void> {
    await followRegistry(queue, {
      signal,
      onChange: (registration) => void registrations.set(registration.topic, registration),
      onError: (error) => void followAgain(error),
    })
  }

  async function followAgain(error: unknown): Promise<void> {
    if (signal.aborted) return
    log.warn({ err: error }, 'registry cannot be followed, trying again')
    await wait(retryMs, undefined, { signal }).catch(() => undefined)
    if (!signal.aborted) await follow().catch(followAgain)
  }

  function servedTopic(registration: TopicRegistration, id: string): ServedTopic {
    const known = served.get(registration.topic)
    if (known?.registration === registration && known.id === id) return known
    const topic = createServedTopic(registration, id)
    served.set(topic.name, topic)
    return topic
  }
}

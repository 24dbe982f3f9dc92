import type { Queue } from '@headrace/queue'
import type { Logger } from 'pino'
import { RefusedError } from '../errors.ts'
import type { History } from '../history/history.ts'
import type { Limits } from '../options/limits.ts'
import type { OpenTopic, TopicDirectory } from '../topics/topic-directory.ts'
import { createFeed, type Feed } from './feed.ts'

/** The feeds of the topics that have readers, one each. */
export interface Feeds {
  /** The feed of a topic, which begins at the topic's end of this moment where there is none yet. Join it soon. */
  of(open: OpenTopic): Feed
  list(): Iterable<Feed>
}

export interface FeedsOptions {
  readonly queue: Queue
  readonly history: History
  readonly topics: TopicDirectory
  readonly limits: Limits
  readonly signal: AbortSignal
  readonly log: Logger
}

export function createFeeds(options: FeedsOptions): Feeds {
  const feeds = new Map<string, Feed>()
  return {
    list: () => feeds.values(),
    of({ topic, description }) {
      // Another id is another topic under the same name: its readers never meet.
      const name = `${topic.name} ${topic.id}`
      const known = feeds.get(name)
      if (known && known.partitions.length === topic.partitions) return known
      // Whoever reads it does not know of the partitions that were added, and comes again to learn of them.
      known?.end(new RefusedError('overloaded', 'The topic has been given more partitions.'))
      const stop = new AbortController()
      const feed = createFeed({
        ...options,
        topic,
        start: description.partitions.map(({ end }) => end),
        refresh: options.topics.refresh,
        signal: AbortSignal.any([options.signal, stop.signal]),
        onUnused() {
          stop.abort()
          if (feeds.get(name) === feed) feeds.delete(name)
        },
      })
      feeds.set(name, feed)
      return feed
    },
  }
}

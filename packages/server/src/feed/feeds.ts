import { RefusedError } from '../errors.ts'
import type { OpenTopic, TopicDirectory } from '../topics/topic-directory.ts'
import { createFeed, type Feed, type FeedOptions } from './feed.ts'

export interface Feeds {
  /** A new feed begins at the topic's current end. Join it within `feedLingerMs`. */
  of(open: OpenTopic): Feed
  list(): Iterable<Feed>
}

export interface FeedsOptions extends Pick<FeedOptions, 'queue' | 'history' | 'limits' | 'signal' | 'log'> {
  readonly topics: TopicDirectory
}

export function createFeeds(options: FeedsOptions): Feeds {
  const feeds = new Map<string, Feed>()
  return {
    list: () => feeds.values(),
    of({ topic, description }) {
      // A topic that was created again has another id.
      const name = `${topic.name} ${topic.id}`
      const known = feeds.get(name)
      if (known && known.partitions.length === topic.partitions) return known
      // Its readers must reconnect to read the added partitions.
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

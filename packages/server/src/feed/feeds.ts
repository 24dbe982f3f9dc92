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
  const { topics, limits, signal } = options
  const feeds = new Map<string, Feed>()
  const timer = setInterval(() => void checkForeign(), limits.rateMs).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  return {
    list: () => feeds.values(),
    of({ topic, description }) {
      // A topic that was created again has another id.
      const name = `${topic.name} ${topic.id}`
      const known = feeds.get(name)
      if (known && known.partitions.length === topic.partitions) return known
      known?.end(partitionsAdded())
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

  /** Others give their topics more partitions. Nothing shows it to those who follow the earlier ones. */
  async function checkForeign(): Promise<void> {
    for (const feed of [...feeds.values()]) {
      const { name, id, writerId } = feed.topic
      if (writerId !== undefined) continue
      const open = await topics.open(name).catch((error: unknown) => error)
      if (open instanceof RefusedError) feed.end(open)
      else if (isOpen(open) && open.topic.id === id && open.topic.partitions !== feed.partitions.length)
        feed.end(partitionsAdded())
    }
  }
}

function isOpen(found: unknown): found is OpenTopic {
  return !(found instanceof Error)
}

/** Readers must reconnect to read the added partitions. */
function partitionsAdded(): RefusedError {
  return new RefusedError('overloaded', 'The topic has been given more partitions.')
}

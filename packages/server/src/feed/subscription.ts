import type { History } from '../history/history.ts'
import { placeAfter, type Run, sliceRun } from '../history/run.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { Feed } from './feed.ts'

/**
 * One client's reading of one topic: a place in the shared log, and nothing else. What comes next is taken from the
 * feed's memory, or from the history where the client is further behind.
 */
export interface Subscription {
  readonly topic: ServedTopic
  readonly place: Place
  /**
   * The next records, `undefined` where none are in memory: then `onReady` is called when there are. They count as read.
   */
  next(): Run | undefined
  close(): void
}

export interface SubscriptionOptions {
  readonly feed: Feed
  readonly history: History
  readonly start: Place
  /** There may be more to read. */
  onReady(): void
  /** Reading cannot go on. */
  onFailure(error: unknown): void
}

/** Bytes of records that are handed to a client at once. */
const pieceBytes = 64 << 10

export function createSubscription({ feed, history, start, onReady, onFailure }: SubscriptionOptions): Subscription {
  let place = start
  let fetched: Run | undefined
  let fetching = false
  let closed = false
  const leave = feed.join({ wake: onReady, end: onFailure })

  return {
    get topic() {
      return feed.topic
    },
    get place() {
      return place
    },
    next() {
      const run = fetched ?? feed.at(place.offset)
      fetched = undefined
      if (run === undefined) {
        if (place.offset < feed.from && !fetching) void fetch()
        return undefined
      }
      const piece = sliceRun(run, place.offset, pieceBytes)
      place = placeAfter(place, piece)
      return piece
    },
    close() {
      closed = true
      leave()
    },
  }

  // Only what is sent at once is taken of it. The history keeps the rest, for others too: a client that takes its time
  // holds no memory meanwhile.
  async function fetch(): Promise<void> {
    fetching = true
    try {
      fetched = await history.after(feed.topic, { from: place.offset, to: feed.to })
    } catch (error) {
      if (!closed) onFailure(error)
      return
    } finally {
      fetching = false
    }
    if (!closed) onReady()
  }
}

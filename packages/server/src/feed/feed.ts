import { setTimeout as wait } from 'node:timers/promises'
import { PositionLostError, type Queue, type RecordBatch, UnknownTopicError, type UserError } from '@headrace/queue'
import type { Logger } from 'pino'
import type { History } from '../history/history.ts'
import type { Run } from '../history/run.ts'
import type { Limits } from '../operations/limits.ts'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import { createRing } from './ring.ts'

/** Follows one topic for all who read it live: each record is rendered once and kept in memory for a while. */
export interface Feed {
  readonly topic: ServedTopic
  /** The lowest offset in memory. What lies before it is read from the history. */
  readonly from: bigint
  /** The offset up to which the topic has been read. */
  readonly to: bigint
  /** Records from an offset on, which are in memory and have not been read further than one run. */
  at(offset: bigint): Run | undefined
  /** Calls `wake` when there is more, until the function it returns is called. */
  join(reader: FeedReader): () => void
}

export interface FeedReader {
  wake(): void
  /** The feed has ended for good: its topic has been removed, or created again. */
  end(error: UserError): void
}

export interface FeedOptions {
  readonly queue: Queue
  readonly history: History
  readonly topic: ServedTopic
  readonly start: bigint
  /** The topic with the schema that is registered for it now. */
  refresh(topic: ServedTopic): ServedTopic
  readonly limits: Limits
  readonly signal: AbortSignal
  readonly log: Logger
  /** The last reader has left and none came for a while, or the feed has ended. */
  onUnused(): void
}

/** Bytes of records that go to a client in one piece. */
const runBytes = 64 << 10
const retryMs = 1000

export function createFeed(options: FeedOptions): Feed {
  const { queue, history, start, limits, signal, log } = options
  let topic = options.topic
  const ring = createRing(start, limits.feedBytes)
  const readers = new Set<FeedReader>()
  let wakes = false
  let idle: NodeJS.Timeout | undefined

  signal.addEventListener('abort', () => clearTimeout(idle), { once: true })
  void follow()
  return {
    get topic() {
      topic = options.refresh(topic)
      return topic
    },
    get from() {
      return ring.from
    },
    get to() {
      return ring.to
    },
    at: (offset) => ring.at(offset),
    join(reader) {
      readers.add(reader)
      clearTimeout(idle)
      return () => {
        if (!readers.delete(reader) || readers.size > 0 || signal.aborted) return
        idle = setTimeout(options.onUnused, limits.feedLingerMs)
      }
    },
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        const place = { topic: topic.name, partition: 0, offset: ring.to }
        for await (const batch of queue.follow([place], { signal })) take(batch)
        // Ended quietly: aborted, or the queue has been closed.
        return
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof PositionLostError || error instanceof UnknownTopicError) return end(error)
        log.warn({ topic: topic.name, err: error }, 'topic cannot be followed, trying again')
        await wait(retryMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  function end(error: UserError): void {
    log.warn({ topic: topic.name, err: error }, 'topic is gone, its readers are sent away')
    for (const reader of [...readers]) reader.end(error)
    options.onUnused()
  }

  function take(batch: RecordBatch): void {
    topic = options.refresh(topic)
    let records: RenderedRecord[] = []
    let byteLength = 0
    for (const record of batch.records()) {
      if (byteLength > runBytes) {
        push({ topic, from: ring.to, to: record.offset, records, byteLength })
        records = []
        byteLength = 0
      }
      const rendered = topic.render(record)
      records.push(rendered)
      byteLength += rendered.json.byteLength
    }
    push({ topic, from: ring.to, to: batch.nextOffset, records, byteLength })
  }

  function push(run: Run): void {
    ring.push(run)
    history.offer(run)
    // Batches that arrive together are written together.
    if (!wakes) setImmediate(wakeAll)
    wakes = true
  }

  function wakeAll(): void {
    wakes = false
    for (const reader of readers) reader.wake()
  }
}

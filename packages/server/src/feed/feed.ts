import { setTimeout as wait } from 'node:timers/promises'
import type { ReaderPosition } from '@headrace/catalog'
import { type HeadraceError, PositionLostError, type Queue, type RecordBatch, UnknownTopicError } from '@headrace/queue'
import type { Logger } from 'pino'
import type { History } from '../history/history.ts'
import { placeAfterRun, type Run, withRecords } from '../history/run.ts'
import type { Limits } from '../options/limits.ts'
import { isShared, passRecord, type RenderedRecord, type ServedTopic } from '../topics/served-topic.ts'
import { createRing, type Ring } from './ring.ts'

/** Follows one topic for all live readers. Renders each record once. */
export interface Feed {
  readonly topic: ServedTopic
  /** Older records are read from the history. */
  readonly partitions: readonly Omit<Ring, 'push' | 'restart'>[]
  /** Sets the cursors of a run for one reader, and moves the reader after it. */
  readonly address: (run: Run, reader: ReaderPosition) => Run
  /** Calls `wake` for new records until the function it returns is called. */
  join(reader: FeedReader): () => void
  end(error: HeadraceError): void
}

export interface FeedReader {
  wake(): void
  /** The topic was removed, created again or given more partitions. */
  end(error: HeadraceError): void
}

export interface FeedOptions {
  readonly queue: Queue
  readonly history: History
  readonly topic: ServedTopic
  readonly start: readonly bigint[]
  refresh(topic: ServedTopic): ServedTopic
  readonly limits: Limits
  readonly signal: AbortSignal
  readonly log: Logger
  onUnused(): void
}

const retryMs = 1000
/** Each write costs one system call per reader. */
const writeIntervalMs = 5

export function createFeed(options: FeedOptions): Feed {
  const { queue, history, start, limits, signal, log } = options
  let topic = options.topic
  const rings = start.map((offset) => createRing(offset, limits.feedBytes / start.length))
  const readers = new Set<FeedReader>()
  /** Rings with records that no reader was notified of. */
  const unseen = new Set<Ring>()
  let wokeAt = Number.NEGATIVE_INFINITY
  let idle: NodeJS.Timeout | undefined

  linger()
  signal.addEventListener('abort', () => clearTimeout(idle), { once: true })
  void follow()
  return {
    get topic() {
      topic = options.refresh(topic)
      return topic
    },
    partitions: rings,
    address: createAddressRun(),
    join(reader) {
      readers.add(reader)
      clearTimeout(idle)
      return () => {
        if (readers.delete(reader)) linger()
      }
    },
    end,
  }

  function linger(): void {
    if (readers.size === 0 && !signal.aborted) idle = setTimeout(options.onUnused, limits.feedLingerMs)
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        const { name, id: topicId } = topic
        const places = rings.map(({ to }, partition) => ({ topic: name, topicId, partition, offset: to }))
        for await (const batch of queue.follow(places, { signal })) take(batch)
        return
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof PositionLostError) {
          if (skipRemoved(error)) continue
          history.invalidate(topic)
        }
        if (error instanceof PositionLostError || error instanceof UnknownTopicError) return end(error)
        log.warn({ topic: topic.name, err: error }, 'topic cannot be followed, trying again')
        await wait(retryMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  /** Returns false if no records were removed after the place of the feed. */
  function skipRemoved({ wasRemoved, partition, earliest }: PositionLostError): boolean {
    const ring = rings[partition]!
    if (!wasRemoved || earliest <= ring.to) return false
    log.warn({ topic: topic.name, partition, earliest }, 'records were removed before they were read')
    ring.restart(earliest)
    wakeSoon()
    return true
  }

  function end(error: HeadraceError): void {
    log.warn({ topic: topic.name, err: error }, 'topic was removed or changed, its streams are ended')
    for (const reader of [...readers]) reader.end(error)
    options.onUnused()
  }

  function take(batch: RecordBatch): void {
    topic = options.refresh(topic)
    const ring = rings[batch.partition]!
    for (const run of renderRuns(topic, batch, ring.to)) push(ring, run)
  }

  function push(ring: Ring, run: Run): void {
    if (unseen.size === 0) wakeSoon()
    ring.push(run, { join: unseen.has(ring) })
    unseen.add(ring)
    history.offer(run)
  }

  function wakeSoon(): void {
    const waitMs = wokeAt + writeIntervalMs - performance.now()
    if (waitMs <= 0) setImmediate(wakeAll)
    else setTimeout(wakeAll, waitMs)
  }

  function wakeAll(): void {
    unseen.clear()
    for (const reader of readers) reader.wake()
    wokeAt = performance.now()
  }
}

const runBytes = 64 << 10

function* renderRuns(topic: ServedTopic, batch: RecordBatch, start: bigint): Generator<Run> {
  const { partition } = batch
  let from = start
  let records: RenderedRecord[] = []
  let byteLength = 0
  for (const record of batch.records()) {
    if (byteLength > runBytes) {
      yield { topic, partition, from, to: record.offset, records, byteLength }
      from = record.offset
      records = []
      byteLength = 0
    }
    const rendered = topic.render(record)
    records.push(rendered)
    byteLength += rendered.json.byteLength
  }
  yield { topic, partition, from, to: batch.nextOffset, records, byteLength }
}

/** Readers at equal places share one run, which is framed once. */
export function createAddressRun(): Feed['address'] {
  const newest = new WeakMap<Run, { readonly at: string; readonly run: Run }>()
  return (run, reader) => {
    const given = isShared(reader) || run.records.length === 0 ? run : addressedFor(run, reader)
    reader.move(run.partition, placeAfterRun(run, reader.places[run.partition]!))
    return given
  }

  function addressedFor(run: Run, reader: ReaderPosition): Run {
    const at = reader.cursor()
    const known = newest.get(run)
    if (known?.at === at) return known.run
    const records = run.records.map((record) => passRecord(reader, record))
    const made = withRecords(run, records)
    newest.set(run, { at, run: made })
    return made
  }
}

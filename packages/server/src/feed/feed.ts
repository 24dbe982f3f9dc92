import { setTimeout as wait } from 'node:timers/promises'
import type { ReaderPosition } from '@headrace/catalog'
import {
  type HeadraceError,
  PositionLostError,
  type Queue,
  type QueueRecord,
  type RecordBatch,
  UnknownTopicError,
} from '@headrace/queue'
import type { Logger } from 'pino'
import type { History } from '../history/history.ts'
import { placeAfterRun, type Run, withRecords } from '../history/run.ts'
import type { Limits } from '../options/limits.ts'
import type { Selection } from '../selection/selection.ts'
import { isShared, type Place, passRecord, type RenderedRecord, type ServedTopic } from '../topics/served-topic.ts'
import { createFeedSelections } from './feed-selections.ts'
import { createFeedTraces } from './feed-traces.ts'
import type { FeedReader, FeedView } from './feed-view.ts'
import { createRing, type Ring } from './ring.ts'

/** Follows one topic for all live readers. Renders each record once, and evaluates each filter once per record. */
export interface Feed extends FeedView {
  /** For one reader. Without a selection it is the feed itself. Each view must be joined. */
  view(selection: Selection | undefined, start: readonly Place[]): FeedView
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

  const selections = createFeedSelections(history, rings)
  const traces = createFeedTraces(queue.engine)

  linger()
  signal.addEventListener('abort', () => clearTimeout(idle), { once: true })
  void follow()
  const feed: Feed = {
    get topic() {
      topic = options.refresh(topic)
      return topic
    },
    partitions: rings,
    history,
    address: createAddressRun(),
    join(reader) {
      readers.add(reader)
      clearTimeout(idle)
      return () => {
        if (readers.delete(reader)) linger()
      }
    },
    view: (selection, start) => (selection ? selections.view(feed, selection, start) : feed),
    end,
  }
  return feed

  function linger(): void {
    if (readers.size === 0 && !signal.aborted) idle = setTimeout(options.onUnused, limits.feedLingerMs)
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        const { name, id: topicId } = topic
        const places = rings.map(({ to }, partition) => ({ topic: name, topicId, partition, offset: to }))
        for await (const batch of queue.follow(places, { signal })) await take(batch)
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

  async function take(batch: RecordBatch): Promise<void> {
    const startTime = Date.now()
    topic = options.refresh(topic)
    await topic.prepare?.(batch.records())
    const ring = rings[batch.partition]!
    for (const { run, raw } of renderRuns(topic, batch, ring.to)) {
      push(ring, run, raw)
      traces.read(run, raw, startTime)
    }
  }

  function push(ring: Ring, run: Run, raw: readonly QueueRecord[]): void {
    if (unseen.size === 0) wakeSoon()
    ring.push(selections.mark(run, raw), { join: unseen.has(ring) })
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
    traces.push(readers.size, () => {
      for (const reader of readers) reader.wake()
    })
    selections.forgetShared()
    wokeAt = performance.now()
  }
}

const runBytes = 64 << 10

interface RenderedRun {
  readonly run: Run
  /** As many as the run has. */
  readonly raw: readonly QueueRecord[]
}

function* renderRuns(topic: ServedTopic, batch: RecordBatch, start: bigint): Generator<RenderedRun> {
  const { partition } = batch
  let from = start
  let records: RenderedRecord[] = []
  let raw: QueueRecord[] = []
  let byteLength = 0
  for (const record of batch.records()) {
    if (byteLength > runBytes) {
      yield { run: { topic, partition, from, to: record.offset, records, byteLength }, raw }
      from = record.offset
      records = []
      raw = []
      byteLength = 0
    }
    const rendered = topic.render(record)
    records.push(rendered)
    raw.push(record)
    byteLength += rendered.json.byteLength
  }
  yield { run: { topic, partition, from, to: batch.nextOffset, records, byteLength }, raw }
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

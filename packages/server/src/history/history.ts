import { PositionLostError } from '@headrace/queue'
import { createSelectedHistory, createTurns } from '../selection/selected-history.ts'
import type { Selection } from '../selection/selection.ts'
import type { ServedTopic } from '../topics/served-topic.ts'
import { type CacheCounts, createByteCache } from './byte-cache.ts'
import type { RecentReads } from './recent-reads.ts'
import { type HistoryRange, type HistoryReader, joinRuns, loadRun, type Run, sliceRun, trimRun } from './run.ts'

/** Reads records through a cache of rendered chunks, which all protocols share. */
export interface History extends HistoryReader {
  /** Reads only what is selected: other records have empty JSON. Past the cache. */
  select(selection: Selection): HistoryReader
  /** Caches a run that was rendered elsewhere, if it continues a cached chunk. */
  offer(run: Run): void
  /** The log of the topic was truncated. */
  invalidate(topic: ServedTopic): void
  /** Data derived from records is valid as long as this does not change. */
  generationOf(topic: ServedTopic): number
}

/** Divided by the partitions of a topic, because a reader uses one chunk of each. */
const chunkOffsets = 256
const leastChunkOffsets = 16
/** A chunk of this size is not extended. Of its further records, those that were read last are cached. */
const chunkBytes = 2 << 20
const leastChunkBytes = 64 << 10
/** Bytes per record, besides its JSON. */
const recordOverhead = 256

export function createHistory(reads: RecentReads, maxBytes: number, counts: CacheCounts): History {
  const sizeOf = ({ byteLength, records }: Run) => byteLength + records.length * recordOverhead
  const cache = createByteCache(maxBytes, counts, sizeOf)
  const takeTurn = createTurns()
  const loading = new Map<string, Promise<Run>>()
  const generations = new Map<string, number>()
  const generationOf = ({ name, id }: ServedTopic) => generations.get(`${name} ${id}`) ?? 0

  return {
    async after(topic, { partition, from, to }) {
      const start = chunkStart(topic, from)
      const chunkEnd = start + offsetsOf(topic)
      const end = chunkEnd < to ? chunkEnd : to
      const chunk = await chunkAt(topic, start, { partition, from, to: end })
      if (from >= chunk.from && from < chunk.to) return trimRun(sliceRun(chunk, from), end)
      return largeAt(topic, start, { partition, from, to: end })
    },
    async before(topic, { partition, from, to }) {
      const start = chunkStart(topic, to - 1n)
      const low = from > start ? from : start
      const chunk = await chunkAt(topic, start, { partition, from: low, to })
      if (low >= chunk.from && to <= chunk.to) return trimRun(sliceRun(chunk, low), to)
      return loadBack(topic, { partition, from: low, to })
    },
    select: (selection) => createSelectedHistory(reads, selection, takeTurn),
    offer(run) {
      const { topic } = run
      for (let remaining: Run | undefined = run; remaining; ) {
        const start = chunkStart(topic, remaining.from)
        const end = start + offsetsOf(topic)
        keep(start, trimRun(remaining, end))
        // An aborted transaction may span any number of offsets.
        const next = sliceRun(remaining, end)
        const first = next.records[0]
        remaining = first && { ...next, from: chunkStart(topic, first.offset) }
      }
    },
    invalidate,
    generationOf,
  }

  // A running read also stores its chunk under the old name.
  function invalidate(topic: ServedTopic): void {
    generations.set(`${topic.name} ${topic.id}`, generationOf(topic) + 1)
    reads.forget(topic.name)
  }

  function chunkName(topic: ServedTopic, partition: number, start: bigint): string {
    return `${topic.name} ${topic.id} ${generationOf(topic)} ${partition} ${start}`
  }

  function keep(start: bigint, run: Run): void {
    const { topic, partition, from } = run
    const name = chunkName(topic, partition, start)
    const held = cache.peek(name)
    if (held?.topic === topic && held.to === from && held.byteLength < bytesOf(topic))
      cache.set(name, joinRuns(held, run))
    else if (!held && from === start) cache.set(name, run)
  }

  /** Up to `range.to`, unless its records are very large. */
  async function chunkAt(topic: ServedTopic, start: bigint, range: HistoryRange): Promise<Run> {
    const name = chunkName(topic, range.partition, start)
    const serves = (run: Run | undefined) =>
      run?.topic === topic && run.from <= range.from && (range.to <= run.to || run.byteLength >= bytesOf(topic))
    // The first reader of a chunk usually loads what the others need.
    for (let underWay = loading.get(name); underWay && !serves(cache.peek(name)); underWay = loading.get(name))
      await underWay.catch(ignoreLoss)
    const held = cache.get(name)
    if (held && serves(held)) return held
    const load = extend(held?.topic === topic && held.from <= range.from ? held : undefined, topic, start, range)
    loading.set(name, load)
    try {
      const run = await load
      cache.set(name, run)
      return run
    } finally {
      loading.delete(name)
    }
  }

  /** Records after those of a full chunk, for a reader that takes them in pieces. */
  async function largeAt(topic: ServedTopic, start: bigint, { partition, from, to }: HistoryRange): Promise<Run> {
    const name = `${chunkName(topic, partition, start)} further`
    const held = cache.get(name)
    if (held?.topic === topic && from >= held.from && from < held.to) return trimRun(sliceRun(held, from), to)
    const run = await loadRun(reads, topic, { partition, from, to }, bytesOf(topic))
    cache.set(name, run)
    return run
  }

  async function extend(held: Run | undefined, topic: ServedTopic, start: bigint, range: HistoryRange): Promise<Run> {
    const { partition, from, to } = range
    const load = (from: bigint) => loadRun(reads, topic, { partition, from, to }, bytesOf(topic))
    if (held) {
      // Retention may have removed everything up to `held.to`.
      const more = await load(held.to).catch(ignoreLoss)
      if (more && continues(held, more)) return joinRuns(held, more)
      if (more) invalidate(topic)
    }
    return loadFrom(start)

    async function loadFrom(begin: bigint): Promise<Run> {
      try {
        return await load(begin)
      } catch (error) {
        // The requested range may still exist.
        if (!(error instanceof PositionLostError) || error.earliest <= begin || error.earliest > from) throw error
        return loadFrom(error.earliest)
      }
    }
  }

  async function loadBack(topic: ServedTopic, { partition, from, to }: HistoryRange): Promise<Run> {
    const run = await loadRun(reads, topic, { partition, from, to }, bytesOf(topic))
    if (run.to === to || to - from <= 1n) return run
    return loadBack(topic, { partition, from: from + (to - from) / 2n, to })
  }
}

/** Whether the seqs of `more` follow those of `held`. They do not if the log was truncated. */
function continues(held: Run, more: Run): boolean {
  const [last, first] = [held.records.at(-1), more.records[0]]
  return !last || !first || last.seq === null || first.seq === null || first.seq === last.seq + 1
}

/** Another reader's range may begin before the removed records. */
function ignoreLoss(error: unknown): undefined {
  if (!(error instanceof PositionLostError)) throw error
}

function bytesOf({ partitions }: ServedTopic): number {
  return Math.max(leastChunkBytes, chunkBytes / partitions)
}

function offsetsOf({ partitions }: ServedTopic): bigint {
  return BigInt(Math.max(leastChunkOffsets, Math.floor(chunkOffsets / partitions)))
}

function chunkStart(topic: ServedTopic, offset: bigint): bigint {
  return offset - (offset % offsetsOf(topic))
}

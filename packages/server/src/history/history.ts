import { PositionLostError, type Queue } from '@headrace/queue'
import type { ServedTopic } from '../topics/served-topic.ts'
import { type CacheCounts, createByteCache } from './byte-cache.ts'
import { joinRuns, loadRun, type Run, sliceRun, trimRun } from './run.ts'

/** Reads the records of all topics through a cache of rendered chunks, which all protocols share. */
export interface History {
  /**
   * Reads records from `from` on, up to `to` at most. A run without records is nearer to `to`.
   *
   * @throws {PositionLostError} `from` has been removed.
   */
  after(topic: ServedTopic, range: HistoryRange): Promise<Run>
  /** Reads records before `to`, down to `from` at most. They are in order of offset. */
  before(topic: ServedTopic, range: HistoryRange): Promise<Run>
  /** Adds a run that was rendered elsewhere to the cache, if it continues a cached chunk. */
  offer(run: Run): void
  /** Invalidates the cached records of a topic, because its log was truncated. */
  forget(topic: ServedTopic): void
  /** Number of `forget` calls for a topic. Data derived from its records is valid as long as this does not change. */
  generationOf(topic: ServedTopic): number
}

/** Offsets, `from` not before the earliest record and lower than `to`, `to` not after the end. */
export interface HistoryRange {
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
}

/** Size of a chunk. Partitions of a topic share it, because a reader uses one chunk of each. */
const chunkOffsets = 256
const leastChunkOffsets = 16
/** A chunk of this size is not extended. Its further records are read from the queue each time. */
const chunkBytes = 2 << 20
const leastChunkBytes = 64 << 10
/** Memory of a record in addition to its JSON, in bytes. */
const recordOverhead = 256

export function createHistory(queue: Queue, maxBytes: number, counts: CacheCounts): History {
  const cache = createByteCache<Run>({
    maxBytes,
    sizeOf: ({ byteLength, records }) => byteLength + records.length * recordOverhead,
    counts,
  })
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
      return loadRun(queue, topic, { partition, from, to: end, maxBytes: bytesOf(topic) })
    },
    async before(topic, { partition, from, to }) {
      const start = chunkStart(topic, to - 1n)
      const low = from > start ? from : start
      const chunk = await chunkAt(topic, start, { partition, from: low, to })
      if (low >= chunk.from && to <= chunk.to) return trimRun(sliceRun(chunk, low), to)
      return loadBack(topic, { partition, from: low, to })
    },
    offer(run) {
      const { topic } = run
      for (let remaining: Run | undefined = run; remaining; ) {
        const start = chunkStart(topic, remaining.from)
        const end = start + offsetsOf(topic)
        keep(start, trimRun(remaining, end))
        // Chunks without records are skipped: an aborted transaction may span any number of offsets.
        const next = sliceRun(remaining, end)
        const first = next.records[0]
        remaining = first && { ...next, from: chunkStart(topic, first.offset) }
      }
    },
    forget,
    generationOf,
  }

  // A running read also stores its chunk under the old name.
  function forget(topic: ServedTopic): void {
    generations.set(`${topic.name} ${topic.id}`, generationOf(topic) + 1)
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

  /** The chunk that begins at `start`, up to `range.to` unless its records are very large. */
  async function chunkAt(topic: ServedTopic, start: bigint, range: HistoryRange): Promise<Run> {
    const name = chunkName(topic, range.partition, start)
    const serves = (run: Run | undefined) =>
      run?.topic === topic && run.from <= range.from && (range.to <= run.to || run.byteLength >= bytesOf(topic))
    // Reads of a chunk wait for each other: the first one usually loads what the others need.
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

  async function extend(held: Run | undefined, topic: ServedTopic, start: bigint, range: HistoryRange): Promise<Run> {
    const { partition, from, to } = range
    const load = (from: bigint) => loadRun(queue, topic, { partition, from, to, maxBytes: bytesOf(topic) })
    if (held) {
      // Retention may have removed everything up to `held.to`.
      const more = await load(held.to).catch(ignoreLoss)
      if (more && continues(held, more)) return joinRuns(held, more)
      if (more) forget(topic)
    }
    return loadFrom(start)

    async function loadFrom(begin: bigint): Promise<Run> {
      try {
        return await load(begin)
      } catch (error) {
        // The beginning of the chunk was removed, but maybe not the requested range.
        if (!(error instanceof PositionLostError) || error.earliest <= begin || error.earliest > from) throw error
        return loadFrom(error.earliest)
      }
    }
  }

  /** The last records of a range: halves the range until it fits into one run. */
  async function loadBack(topic: ServedTopic, { partition, from, to }: HistoryRange): Promise<Run> {
    const run = await loadRun(queue, topic, { partition, from, to, maxBytes: bytesOf(topic) })
    if (run.to === to || to - from <= 1n) return run
    return loadBack(topic, { partition, from: from + (to - from) / 2n, to })
  }
}

/** Whether the seqs continue. They do not if the log was truncated. */
function continues(held: Run, more: Run): boolean {
  const [last, first] = [held.records.at(-1), more.records[0]]
  return !last || !first || last.seq === null || first.seq === null || first.seq === last.seq + 1
}

/** Another reader's range may begin before the removed records of this one. */
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

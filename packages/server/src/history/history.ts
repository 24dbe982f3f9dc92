import { PositionLostError, type Queue } from '@headrace/queue'
import type { ServedTopic } from '../topics/served-topic.ts'
import { type CacheCounts, createByteCache } from './byte-cache.ts'
import { joinRuns, loadRun, type Run, sliceRun, trimRun } from './run.ts'

/**
 * The records of all topics, read from the queue in chunks that stay in memory as they were rendered, the most recently
 * used ones up to a number of bytes. Whoever reads a chunk meanwhile, in whatever protocol, gets the same bytes.
 */
export interface History {
  /**
   * Records from `from` on, up to `to` or less far: at least one record, or some way closer to `to`.
   *
   * @throws {PositionLostError} `from` has been removed.
   */
  after(topic: ServedTopic, range: HistoryRange): Promise<Run>
  /** Records before `to`, down to `from` or less far, in order of offset all the same. */
  before(topic: ServedTopic, range: HistoryRange): Promise<Run>
  /** Takes in what has been rendered elsewhere, where it goes on from what is held. */
  offer(run: Run): void
  /** The log of a topic has been cut back: others may lie where records were that are held. They are given no longer. */
  forget(topic: ServedTopic): void
  /** How often that was so. What was made of a topic's records holds as long as this stays the same. */
  generationOf(topic: ServedTopic): number
}

/** Offsets, `from` not before the earliest record and lower than `to`, `to` not after the end. */
export interface HistoryRange {
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
}

/** Offsets and bytes of a chunk. In a topic of several partitions, of which a reader holds a chunk each, its share of them. */
const chunkOffsets = 256
const leastChunkOffsets = 16
/** A chunk that has grown to this is not extended: what follows in it is read from the queue each time. */
const chunkBytes = 2 << 20
const leastChunkBytes = 64 << 10
/** What a record costs in memory besides its bytes. */
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
      for (let rest: Run | undefined = run; rest; ) {
        const start = chunkStart(topic, rest.from)
        const end = start + offsetsOf(topic)
        keep(start, trimRun(rest, end))
        // Where nothing is visible, no chunk is made of it: an aborted transaction may be as long as it likes.
        const behind = sliceRun(rest, end)
        const first = behind.records[0]
        rest = first && { ...behind, from: chunkStart(topic, first.offset) }
      }
    },
    forget,
    generationOf,
  }

  // What is being read at this moment is kept under the old name too.
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

  /** The chunk that begins at `start`, as far as it is kept: up to `to` unless its records are very large. */
  async function chunkAt(topic: ServedTopic, start: bigint, range: HistoryRange): Promise<Run> {
    const name = chunkName(topic, range.partition, start)
    const serves = (run: Run | undefined) =>
      run?.topic === topic && run.from <= range.from && (range.to <= run.to || run.byteLength >= bytesOf(topic))
    // One after the other: most find what they need when the first one has it.
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
      // All that is held may have been removed by now.
      const more = await load(held.to).catch(ignoreLoss)
      if (more && fits(held, more)) return joinRuns(held, more)
      if (more) forget(topic)
    }
    return loadFrom(start)

    async function loadFrom(begin: bigint): Promise<Run> {
      try {
        return await load(begin)
      } catch (error) {
        // The chunk's beginning has been removed; what was asked for may lie behind that.
        if (!(error instanceof PositionLostError) || error.earliest <= begin || error.earliest > from) throw error
        return loadFrom(error.earliest)
      }
    }
  }

  /** The last records of a range too large to be read whole: by halves, until the second one fits. */
  async function loadBack(topic: ServedTopic, { partition, from, to }: HistoryRange): Promise<Run> {
    const run = await loadRun(queue, topic, { partition, from, to, maxBytes: bytesOf(topic) })
    if (run.to === to || to - from <= 1n) return run
    return loadBack(topic, { partition, from: from + (to - from) / 2n, to })
  }
}

/** Whether what was read later goes on from what was held. Where the log was cut back it does not. */
function fits(held: Run, more: Run): boolean {
  const [last, first] = [held.records.at(-1), more.records[0]]
  return !last || !first || last.seq === null || first.seq === null || first.seq === last.seq + 1
}

/** Where the beginning of one reader's range has been removed, another's may still be there. */
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

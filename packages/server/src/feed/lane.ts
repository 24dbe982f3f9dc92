import type { RunCutter } from '../history/canonical-cut.ts'
import type { History } from '../history/history.ts'
import { type Run, sliceRun, trimRun } from '../history/run.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { Ring } from './ring.ts'

/**
 * One client's reading of one partition. What comes next is taken from the feed's memory, or from the history where the
 * client is further behind.
 */
export interface Lane {
  readonly partition: number
  /**
   * What lies behind a place, some records of it; `undefined` where none are in memory: then `onReady` is called when
   * there are, and what was read for it is given while that call lasts. Up to the head of the canonical view, and beyond
   * it in another run.
   */
  next(place: Place): Run | undefined
  /** Whether what comes next is being read, and `onReady` will be called. */
  readonly isFetching: boolean
  /** Up to a head: cuts out what the canonical view leaves out. */
  readonly canonical: { readonly to: bigint; readonly cut: RunCutter } | undefined
}

export interface LaneOptions extends Pick<Lane, 'partition' | 'canonical'> {
  readonly topic: () => ServedTopic
  readonly history: History
  readonly ring: Omit<Ring, 'push' | 'restart'>
  onReady(): void
  onFailure(error: unknown): void
}

/** Bytes of records that are handed to a client at once. */
const pieceBytes = 64 << 10

export function createLane({ topic, history, ring, partition, canonical, onReady, onFailure }: LaneOptions): Lane {
  let fetched: Run | undefined
  let fetching = false
  return {
    partition,
    canonical,
    get isFetching() {
      return fetching
    },
    next({ offset }) {
      const run = fetched ?? ring.at(offset)
      fetched = undefined
      if (run === undefined) {
        if (offset < ring.from && !fetching) void fetch(offset)
        return undefined
      }
      const piece = sliceRun(run, offset, pieceBytes)
      return canonical && offset < canonical.to ? trimRun(piece, canonical.to) : piece
    },
  }

  // Only what is sent at once is taken of it. The history keeps the rest, for others too: a client that takes its time
  // holds no memory meanwhile, and has it read again.
  async function fetch(from: bigint): Promise<void> {
    fetching = true
    let run: Run
    try {
      run = await history.after(topic(), { partition, from, to: ring.to })
    } catch (error) {
      fetching = false
      return onFailure(error)
    }
    // Whoever is told may ask for what comes next at once.
    fetching = false
    fetched = run
    onReady()
    fetched = undefined
  }
}

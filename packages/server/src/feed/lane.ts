import type { RunCutter } from '../history/canonical-cut.ts'
import type { History } from '../history/history.ts'
import { type Run, sliceRun, trimRun } from '../history/run.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { Ring } from './ring.ts'

/** Reads one partition for one client: from the ring of the feed or, further behind, from the history. */
export interface Lane {
  readonly partition: number
  /**
   * The next records, up to the head of the canonical view. `undefined`: none are in memory; `onReady` is called once
   * they are, and they can be taken only during that call.
   */
  next(place: Place): Run | undefined
  readonly isFetching: boolean
  /** Omits reverted records up to the head `to`. Absent: the log. */
  readonly canonical: { readonly to: bigint; readonly cut: RunCutter } | undefined
}

export interface LaneOptions extends Pick<Lane, 'partition' | 'canonical'> {
  readonly topic: () => ServedTopic
  readonly history: History
  readonly ring: Omit<Ring, 'push' | 'restart'>
  onReady(): void
  onFailure(error: unknown): void
}

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

  // The run is not kept after `onReady`, so that a slow client occupies no memory.
  async function fetch(from: bigint): Promise<void> {
    fetching = true
    let run: Run
    try {
      run = await history.after(topic(), { partition, from, to: ring.to })
    } catch (error) {
      fetching = false
      return onFailure(error)
    }
    fetching = false
    fetched = run
    onReady()
    fetched = undefined
  }
}

import { createReaderPosition, type ReaderPosition, type ResolvedPosition } from '@headrace/catalog'
import { PositionLostError } from '@headrace/queue'
import { createCanonicalCut, type RunCutter } from '../history/canonical-cut.ts'
import type { CanonicalView } from '../history/canonical-views.ts'
import { placeAfterRun, type Run, sliceRun, trimRun, withRecords } from '../history/run.ts'
import type { Selection } from '../selection/selection.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { FeedView } from './feed-view.ts'
import type { Gap } from './transport.ts'

/** If the next records no longer exist. */
export type OnGap = 'error' | 'skip'

export interface Start {
  readonly position: ResolvedPosition
  /** Up to `position.asOf`. Absent: the log. */
  readonly canonical?: CanonicalView
  readonly gap?: Gap
  readonly onGap: OnGap
  /** Absent: all of every record. */
  readonly selection?: Selection | undefined
}

/** Reads one topic for one client. Its only state is a place in each partition. */
export interface Subscription {
  readonly topic: ServedTopic
  readonly position: ReaderPosition
  readonly selection: Selection | undefined
  /**
   * The next records, with the cursors for this client. `undefined`: none are in memory; `onReady` is called once they
   * are.
   */
  next(): Run | undefined
  close(): void
}

export interface SubscriptionOptions {
  readonly feed: FeedView
  readonly start: Start
  onReady(): void
  onGap(gap: Gap): void
  onFailure(error: unknown): void
}

export function createSubscription(options: SubscriptionOptions): Subscription {
  const { feed, start, onReady, onFailure } = options
  const position = createReaderPosition(feed.topic, start.position)
  const lanes = feed.partitions.map((_, partition) =>
    createLane({
      ...{ feed, partition, canonical: canonicalOf(start, partition) },
      onReady: () => closed || onReady(),
      onFailure: (error) => closed || recover(partition, error),
    }),
  )
  const stopFollowing = feed.join({ wake: onReady, end: onFailure })
  /**
   * Partition → the offset to continue from after retention. The removed offsets may have held no record, so the
   * reader's place stays until the next seq shows whether one was lost.
   */
  const continueAt = new Map<number, bigint>()
  let turn = 0
  let closed = false

  return {
    topic: feed.topic,
    position,
    selection: start.selection,
    next() {
      // No partition waits for the long history of another. A reader that has read everything starts with the first one
      // again, so that readers at equal places share runs.
      for (let tried = 0; tried < lanes.length && !closed; tried++) {
        const lane = lanes[turn]!
        turn = (turn + 1) % lanes.length
        const run = nextOf(lane)
        if (run) return run
      }
      if (!lanes.some(({ isFetching }) => isFetching)) turn = 0
      return undefined
    },
    close() {
      closed = true
      stopFollowing()
    },
  }

  function nextOf(lane: Lane): Run | undefined {
    const place = position.places[lane.partition]!
    const from = continueAt.get(lane.partition)
    const offset = from ?? place.offset
    const found = lane.next({ ...place, offset })
    if (!found) return undefined
    const run = beforeMissing(found, place.seq)
    if (!run) return skipMissing(found)
    if (from !== undefined && run.records.length === 0) {
      continueAt.set(lane.partition, run.to)
      return run
    }
    continueAt.delete(lane.partition)
    const { canonical } = lane
    if (!canonical || offset >= canonical.to) return feed.address(run, position)
    const { records, next } = canonical.cut(run)
    const given = feed.address(withRecords(run, records), position)
    const behind = next === run.to ? placeAfterRun(run, place) : { offset: next, seq: null }
    position.move(lane.partition, next < canonical.to ? behind : start.canonical!.asOf[lane.partition]!)
    position.switchToLog()
    return given
  }

  function skipMissing({ partition, records }: Run): Run | undefined {
    const { offset, seq } = records[0]!
    const wasRemoved = continueAt.delete(partition)
    if (!skip(partition, { offset, seq }, wasRemoved ? 'retention' : 'truncated')) {
      const place = { topic: feed.topic.name, partition, offset }
      const { from, to } = feed.partitions[partition]!
      onFailure(new PositionLostError(place, { earliest: from, end: to }, wasRemoved ? 'out_of_range' : 'truncated'))
      return undefined
    }
    return nextOf(lanes[partition]!)
  }

  function recover(partition: number, error: unknown): void {
    const { offset, seq } = position.places[partition]!
    const from = continueAt.get(partition) ?? offset
    // Otherwise reading would fail in the same way again.
    if (!(error instanceof PositionLostError && error.wasRemoved && error.earliest > from)) onFailure(error)
    else if (seq !== null) {
      continueAt.set(partition, error.earliest)
      onReady()
    } else if (skip(partition, { offset: error.earliest, seq }, 'retention')) onReady()
    else onFailure(error)
  }

  function skip(partition: number, to: Place, reason: string): boolean {
    if (start.onGap === 'error') return false
    const after = position.cursor()
    position.move(partition, to)
    feed.jump?.(partition, to)
    options.onGap({ topic: feed.topic.name, after, resumeAt: position.cursor(), reason })
    return true
  }
}

function canonicalOf({ canonical }: Start, partition: number): Lane['canonical'] {
  if (!canonical) return undefined
  const to = canonical.asOf[partition]!.offset
  return { to, cut: createCanonicalCut(canonical, { partition, order: 'asc', end: to }) }
}

/** The records up to a missing seq; `undefined` if the first record does not have the seq `next`. */
function beforeMissing(run: Run, next: number | null): Run | undefined {
  let expected = next
  for (const [index, { offset, seq }] of run.records.entries()) {
    if (expected !== null && seq !== null && seq !== expected)
      return index === 0 ? undefined : withRecords({ ...run, to: offset }, run.records.slice(0, index))
    expected = seq === null ? null : seq + 1
  }
  return run
}

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

export type LaneOptions = Pick<Lane, 'partition' | 'canonical'> &
  Pick<SubscriptionOptions, 'feed' | 'onReady' | 'onFailure'>

const pieceBytes = 64 << 10

export function createLane({ feed, partition, canonical, onReady, onFailure }: LaneOptions): Lane {
  const ring = feed.partitions[partition]!
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
      run = await feed.history.after(feed.topic, { partition, from, to: ring.to })
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

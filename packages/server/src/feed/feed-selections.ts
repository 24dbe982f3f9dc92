import type { FilterCompiler, FilterIndex, RecordFilter } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import type { History } from '../history/history.ts'
import type { HistoryReader, Run } from '../history/run.ts'
import { createSelectedRuns, type SharedRun } from '../selection/selected-runs.ts'
import type { Selection } from '../selection/selection.ts'
import type { Place, RenderedRecord } from '../topics/served-topic.ts'
import type { FeedView } from './feed-view.ts'
import type { Ring } from './ring.ts'

/** The selections of a feed's readers. */
export interface FeedSelections {
  /** Adds to each record what the selections need to know. */
  mark(run: Run, raw: readonly QueueRecord[]): Run
  view(feed: FeedView, selection: Selection, start: readonly Place[]): FeedView
  /** Frees the runs that readers at equal places share while they are woken. */
  forgetShared(): void
}

interface UsedSelection {
  readonly selection: Selection
  readonly history: HistoryReader
  /** The offset in each partition from which on records are marked for it. */
  readonly since: readonly bigint[]
  readonly shared: SharedRun
  readers: number
}

export function createFeedSelections(history: History, rings: readonly Ring[]): FeedSelections {
  const used = new Map<string, UsedSelection>()
  /** A changed registration of the topic has its own compiler. */
  const indexes = new Map<FilterCompiler, FilterIndex>()
  const uses = new Map<RecordFilter, number>()
  let withFields = 0
  return {
    mark(run, raw) {
      if (used.size === 0) return run
      const all = [...indexes.values()]
      const records = run.records.map((record, n): RenderedRecord => {
        const found = all.flatMap((index) => index.match(raw[n]!))
        const matches = found.length === 0 ? noMatches : new Set(found)
        return { ...record, matches, raw: withFields > 0 ? raw[n] : undefined }
      })
      return { ...run, records }
    },
    view(feed, selection, start) {
      const use = used.get(selection.text) ?? begin(selection)
      use.readers++
      return {
        get topic() {
          return feed.topic
        },
        partitions: rings.map((ring, partition) => ringSince(ring, use.since[partition]!)),
        history: use.history,
        ...createSelectedRuns(use.selection, use.shared, start),
        join(reader) {
          const leave = feed.join(reader)
          let joined = true
          return () => {
            leave()
            if (joined && --use.readers === 0) end(use)
            joined = false
          }
        },
      }
    },
    forgetShared() {
      for (const { shared } of used.values()) shared.newest = undefined
    },
  }

  function begin(selection: Selection): UsedSelection {
    const { text, filter, fields, compiler } = selection
    const use = {
      ...{ selection, history: history.select(selection), since: rings.map(({ to }) => to) },
      ...{ shared: { newest: undefined }, readers: 0 },
    }
    used.set(text, use)
    if (fields) withFields++
    if (filter) {
      const count = uses.get(filter) ?? 0
      if (count === 0) indexOf(compiler).add(filter)
      uses.set(filter, count + 1)
    }
    return use
  }

  function end({ selection: { text, filter, fields, compiler } }: UsedSelection): void {
    used.delete(text)
    if (fields) withFields--
    if (!filter) return
    const count = uses.get(filter)! - 1
    if (count > 0) return void uses.set(filter, count)
    uses.delete(filter)
    indexOf(compiler).remove(filter)
  }

  function indexOf(compiler: FilterCompiler): FilterIndex {
    const known = indexes.get(compiler)
    if (known) return known
    const made = compiler.createIndex()
    indexes.set(compiler, made)
    return made
  }
}

const noMatches: ReadonlySet<RecordFilter> = new Set()

/** Earlier records are not marked. */
function ringSince(ring: Ring, since: bigint): Pick<Ring, 'from' | 'to' | 'at'> {
  return {
    get from() {
      return ring.from > since ? ring.from : since
    },
    get to() {
      return ring.to
    },
    at: (offset) => (offset < since ? undefined : ring.at(offset)),
  }
}

import type { EndpointView } from './endpoint-view.ts'

/** An endpoint, and for how long its head had been where it is when it last answered, in ms. */
export interface WatchedView extends EndpointView {
  readonly stillMs: number
}

/** Endpoints that contradict each other. */
export interface BranchSides {
  /** Those that have the published branch: not empty of what is to be taken back. */
  readonly holders: readonly WatchedView[]
  /** Those that have another one. */
  readonly others: readonly WatchedView[]
  /** How many there are, those included that take no side. */
  readonly all: number
}

/** Blocks by which an endpoint is far ahead of another one. */
const farBlocks = 16

/**
 * Tells which of the endpoints on another branch are believed; where none is, the published branch stands.
 *
 * All are where no endpoint has the published branch. Otherwise only those of one branch that are far ahead of all that
 * have it are, and only if they are enough. A holder whose head has been still for `patienceMs` has stopped: against
 * holders that have all stopped, as many are enough. Where one goes on, it takes a strict majority of all endpoints but
 * those that have stopped, and no fewer than have.
 */
export function believedOthers({ holders, others, all }: BranchSides, patienceMs: number): readonly WatchedView[] {
  if (holders.length === 0) return others
  const ahead = others.filter((other) => holders.every((holder) => isFarAhead(other, holder)))
  const stopped = holders.filter(({ stillMs }) => stillMs >= patienceMs).length
  const majority = Math.floor((all - stopped) / 2) + 1
  const enough = stopped === holders.length ? stopped : Math.max(majority, stopped)
  const believed = ahead.find(({ hash }) => hash !== undefined && ofHash(ahead, hash).length >= enough)
  return believed ? ofHash(ahead, believed.hash!) : []
}

function ofHash(views: readonly WatchedView[], hash: string): readonly WatchedView[] {
  return views.filter((view) => view.hash === hash)
}

/** Of one that has not told of its head nothing is known. */
function isFarAhead(one: EndpointView, other: EndpointView): boolean {
  return one.head !== undefined && other.head !== undefined && one.head.number > other.head.number + farBlocks
}

import { patienceMs } from './endpoint-answers.ts'
import type { EndpointView } from './endpoint-view.ts'

/** Blocks by which a head is far ahead of another. */
const farBlocks = 16

/**
 * The endpoints on another branch that are accepted; none if the published branch is kept.
 *
 * If no endpoint has the published branch, all are. Otherwise only endpoints of one branch that are far ahead of every
 * holder are, if they are enough: as many as the holders, if all of these have stopped; or else a strict majority of
 * all endpoints that have not stopped, and at least as many as have.
 *
 * @param holders Endpoints with the published branch, or a part of it that would be reverted.
 * @param all Number of endpoints, including undecided ones.
 */
export function acceptedOthers(
  holders: readonly EndpointView[],
  others: readonly EndpointView[],
  all: number,
): readonly EndpointView[] {
  if (holders.length === 0) return others
  const ahead = others.filter((other) => holders.every((holder) => isFarAhead(other, holder)))
  const stopped = holders.filter(({ unchangedMs }) => unchangedMs >= patienceMs).length
  const majority = Math.floor((all - stopped) / 2) + 1
  const enough = stopped === holders.length ? stopped : Math.max(majority, stopped)
  const known = ahead.filter(({ hash }) => hash !== undefined)
  const branches = [...Map.groupBy(known, ({ hash }) => hash).values()]
  return branches.find((branch) => branch.length >= enough) ?? []
}

function isFarAhead(one: EndpointView, other: EndpointView): boolean {
  return one.head !== undefined && other.head !== undefined && one.head.number > other.head.number + farBlocks
}

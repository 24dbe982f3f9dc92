import { hasReached, type RecordOrder, type ResolvedPosition, resolvePosition } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { CanonicalViews } from '../history/canonical-views.ts'
import type { Heads } from '../history/heads.ts'
import type { RecordRange } from '../history/page.ts'
import type { Place } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import type { DataQuery } from './data-endpoint.ts'

export interface DataRange extends RecordRange {
  /** In the canonical view, the head as of which it is. */
  readonly head: ResolvedPosition
}

export interface DataRangeOptions {
  readonly queue: Queue
  readonly heads: Heads
  readonly canonicalViews: CanonicalViews
}

/**
 * A canonical cursor continues as of its head until it reaches it, and as the log after it, so that a reader that keeps
 * paging sees later reverts.
 */
export async function resolveRange(options: DataRangeOptions, open: OpenTopic, query: DataQuery): Promise<DataRange> {
  const { topic, description } = open
  const { order, view } = query
  const writerId = `${topic.registration.lineage}/${topic.registration.instance}`
  const [from, to, head] = await Promise.all([
    resolvePosition(options.queue, description, query.from, { writerId }),
    resolvePosition(options.queue, description, query.to, { writerId }),
    options.heads.of(open),
  ])
  // A cursor may be newer than the description.
  const known = from.partitions.map((place, partition) =>
    later(place, later(to.partitions[partition]!, head[partition]!)),
  )
  const wanted = { from, to, order }
  if (view === 'log') return { topic, order, ...bounds(wanted, known), head: { partitions: known } }

  const given = order === 'asc' ? from.asOf : to.asOf
  if (given && order === 'asc' && hasReached(from.partitions, given))
    return { topic, order, ...bounds(wanted, known), asOf: given, head: { partitions: known, asOf: known } }
  const canonical = await options.canonicalViews.at(open, given ?? known)
  const { asOf } = canonical
  return { topic, order, ...bounds(wanted, asOf), canonical, asOf, head: { partitions: asOf, asOf } }
}

/** `undefined` for a reader that reads backwards. */
export function startOf({ order, from, asOf }: DataRange): ResolvedPosition | undefined {
  return order === 'desc' ? undefined : { partitions: from, ...(asOf && { asOf }) }
}

/** A range that ends before it begins becomes an empty one at the reader's start. */
function bounds(
  { from, to, order }: { from: ResolvedPosition; to: ResolvedPosition; order: RecordOrder },
  head: readonly Place[],
): { from: readonly Place[]; to: readonly Place[] } {
  const end = to.partitions.map((place, partition) => earlier(place, head[partition]!))
  if (order === 'desc') return { from: from.partitions.map((place, n) => earlier(place, end[n]!)), to: end }
  return { from: from.partitions, to: end.map((place, n) => later(place, from.partitions[n]!)) }
}

function earlier(one: Place, other: Place): Place {
  return one.offset < other.offset ? one : other
}

function later(one: Place, other: Place): Place {
  return one.offset > other.offset ? one : other
}

import { hasReached, type ResolvedPosition, resolvePosition } from '@headrace/catalog'
import type { ApiContext } from '../api-context.ts'
import type { RecordRange } from '../history/page.ts'
import { selectionOf } from '../selection/selection.ts'
import type { Place } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import type { DataQuery } from './data-endpoint.ts'

export interface DataRange extends RecordRange {
  /** In the canonical view, the head at which the view is fixed. */
  readonly head: ResolvedPosition
}

/**
 * A canonical cursor continues as of its head until it reaches it, and as the log after it, so that a reader that keeps
 * paging sees later reverts.
 */
export async function resolveRange(
  { queue, heads, canonicalViews }: Pick<ApiContext, 'queue' | 'heads' | 'canonicalViews'>,
  open: OpenTopic,
  query: DataQuery,
): Promise<DataRange> {
  const { topic, description } = open
  const { order, view } = query
  const selection = selectionOf(topic, query)
  const { writerId } = topic
  const [from, to, head] = await Promise.all([
    resolvePosition(queue, description, query.from, { writerId }),
    resolvePosition(queue, description, query.to, { writerId }),
    heads.of(open),
  ])
  // A cursor may be newer than the description.
  const known = from.partitions.map((place, partition) =>
    later(place, later(to.partitions[partition]!, head[partition]!)),
  )
  if (view === 'log') return { ...rangeBefore(known), head: { partitions: known } }

  const given = order === 'asc' ? from.asOf : to.asOf
  if (given && order === 'asc' && hasReached(from.partitions, given))
    return { ...rangeBefore(known), asOf: given, head: { partitions: known, asOf: known } }
  const canonical = await canonicalViews.at(open, given ?? known)
  const { asOf } = canonical
  return { ...rangeBefore(asOf), canonical, asOf, head: { partitions: asOf, asOf } }

  /** A range that ends before it begins becomes an empty one at the reader's start. */
  function rangeBefore(head: readonly Place[]): RecordRange {
    const end = to.partitions.map((place, n) => earlier(place, head[n]!))
    if (order === 'desc')
      return { topic, order, selection, from: from.partitions.map((place, n) => earlier(place, end[n]!)), to: end }
    return {
      topic,
      order,
      selection,
      from: from.partitions,
      to: end.map((place, n) => later(place, from.partitions[n]!)),
    }
  }
}

function earlier(one: Place, other: Place): Place {
  return one.offset < other.offset ? one : other
}

function later(one: Place, other: Place): Place {
  return one.offset > other.offset ? one : other
}

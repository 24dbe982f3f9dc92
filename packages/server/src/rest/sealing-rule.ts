import { decodeCursor } from '@headrace/catalog'
import type { Page } from '../history/page.ts'
import type { Place } from '../topics/served-topic.ts'
import type { DataQuery } from './data-endpoint.ts'
import type { DataRange } from './data-range.ts'

/** The condition under which nothing can change a page, except that retention removes records or the log is truncated. */
export interface SealingRule {
  /** All records before these seqs must be final, one for each partition. */
  readonly finalSeqs: readonly number[]
  /** For each partition, the first offset of the page and the one after it. */
  readonly offsets: readonly { readonly from: bigint; readonly to: bigint }[]
}

/** `undefined`: records that are published later, or later reverts, may change the page. */
export function sealingRule(range: DataRange, page: Page, query: DataQuery): SealingRule | undefined {
  const { topic, order, from, to, canonical } = range
  // Its records may be compacted, and the schema that was stated for them may change.
  if (topic.writerId === undefined) return undefined
  if (!query.continued || !page.hasMore || !endsAtFixedPlace(query)) return undefined
  const next = decodeCursor(page.nextCursor).topics[0]!.partitions
  if (order === 'asc' && !isMergeFixed(range, next, query)) return undefined
  const finalSeqs = canonical ? finalSeqsOf(range, page, query) : topicSeqs(topic.partitions)
  if (!finalSeqs) return undefined
  const offsets = next.map(({ offset }, partition) =>
    order === 'asc' ? { from: from[partition]!.offset, to: offset } : { from: offset, to: to[partition]!.offset },
  )
  return { finalSeqs, offsets }
}

/** With `asc`, a later end moves only what comes after a page that is full. With `desc`, it shortens the page. */
function endsAtFixedPlace({ order, from, continued }: DataQuery): boolean {
  if (order === 'asc') return true
  if (from.kind === 'time') return !isAgo(continued!.end)
  return from.kind === 'cursor' || from.kind === 'earliest'
}

function isAgo(text: string | undefined): boolean {
  return text?.startsWith('-') ?? false
}

/**
 * With several partitions, a record that is published later may be older than the records of another partition. So each
 * partition must have a next record, or end here for good.
 */
function isMergeFixed({ to, head, canonical }: DataRange, next: readonly Place[], query: DataQuery): boolean {
  if (next.length === 1) return true
  return next.every(({ seq }, partition) => {
    const end = to[partition]!
    if (query.to.kind === 'cursor' || (canonical && query.to.kind === 'latest')) return true
    const isFixedTime = query.to.kind === 'time' && !isAgo(query.continued!.end)
    if (isFixedTime && end.offset < head.partitions[partition]!.offset) return true
    return seq !== null && end.seq !== null && seq < end.seq
  })
}

/**
 * A canonical page is fixed by the head in its cursor. A gateway may know only a wider interval of reverts than another
 * one did (decision 8), so none of its records may have been reverted at any time. With a filter, the page also depends
 * on the records that are left out.
 */
function finalSeqsOf(range: DataRange, page: Page, query: DataQuery): readonly number[] | undefined {
  const { topic, canonical, selection } = range
  const start = query.order === 'asc' ? query.from : query.to
  const isPinned = start.kind === 'cursor' && start.cursor.topics.some((one) => one.topic === topic.name && one.asOf)
  if (!isPinned) return undefined
  const seqs = topicSeqs(topic.partitions)
  for (const { partition, seq } of selection ? placesRead(range, page) : page.records) {
    if (seq === null || canonical!.reverted[partition]!.around(seq, null)) return undefined
    seqs[partition] = Math.max(seqs[partition]!, seq + 1)
  }
  return seqs
}

/** Where a page with a filter has read a record. A `null` seq: the place is not known. */
function* placesRead(
  { order, from, to }: DataRange,
  { nextCursor }: Page,
): Generator<{ partition: number; seq: number | null }> {
  const next = decodeCursor(nextCursor).topics[0]!.partitions
  const [low, high] = order === 'asc' ? [from, next] : [next, to]
  for (const [partition, first] of low.entries()) {
    const last = high[partition]!
    if (first.offset >= last.offset) continue
    if (first.seq === null || last.seq === null) yield { partition, seq: null }
    else for (let { seq } = first; seq < last.seq; seq++) yield { partition, seq }
  }
}

function topicSeqs(partitions: number): number[] {
  return Array.from({ length: partitions }, () => 0)
}

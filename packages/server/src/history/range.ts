import type { RecordOrder } from '@headrace/catalog'
import type { RenderedRecord } from '../topics/served-topic.ts'
import { createCanonicalCut } from './canonical-cut.ts'
import type { CanonicalView } from './canonical-views.ts'
import type { HistoryReader, Run } from './run.ts'

export interface PartitionRange extends Pick<Run, 'topic' | 'partition' | 'from' | 'to'> {
  readonly order: RecordOrder
  /** Absent: the log. */
  readonly canonical?: CanonicalView | undefined
}

/** Reads lazily, in the requested order. A piece may be empty. */
export async function* readRange(
  history: HistoryReader,
  { topic, partition, from, to, order, canonical }: PartitionRange,
): AsyncGenerator<readonly RenderedRecord[], void, undefined> {
  const cut = canonical && createCanonicalCut(canonical, { partition, order, end: order === 'asc' ? to : from })
  let low = from
  let high = to
  while (low < high) {
    const range = { partition, from: low, to: high }
    const run = order === 'asc' ? await history.after(topic, range) : await history.before(topic, range)
    const shown = cut ? cut(run) : { records: run.records, next: order === 'asc' ? run.to : run.from }
    if (order === 'asc') low = shown.next
    else high = shown.next
    yield order === 'asc' ? shown.records : shown.records.toReversed()
  }
}

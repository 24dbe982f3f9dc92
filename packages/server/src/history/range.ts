import type { RecordOrder } from '@headrace/catalog'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import type { RunCutter } from './canonical-cut.ts'
import type { History } from './history.ts'

export interface PartitionRange {
  readonly topic: ServedTopic
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
  readonly order: RecordOrder
  readonly cut: RunCutter | undefined
}

/** Reads lazily, in the requested order. A piece may be empty. */
export async function* readRange(
  history: History,
  { topic, partition, from, to, order, cut }: PartitionRange,
): AsyncGenerator<readonly RenderedRecord[], void, undefined> {
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

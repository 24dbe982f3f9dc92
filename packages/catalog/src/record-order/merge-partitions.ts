/** `asc`: oldest first. */
export type RecordOrder = 'asc' | 'desc'

export interface OrderedRecord {
  readonly partition: number
  /** Ms since the Unix epoch. */
  readonly time: number
}

/** Lists may be empty. */
export type RecordLists<R> = AsyncIterator<readonly R[], void, undefined>

/**
 * By time, then by partition; `desc` is the exact reverse. Within a partition the order is kept, whatever the times.
 * Yields no empty list.
 */
export async function* mergePartitions<R extends OrderedRecord>(
  partitions: readonly RecordLists<R>[],
  order: RecordOrder,
): AsyncGenerator<readonly R[], void, undefined> {
  const found = await Promise.all(partitions.map(nextList))
  let heads = found.filter((head) => head !== undefined)
  while (heads.length > 1) {
    const merged: R[] = []
    let first = foremost(heads, order)
    for (;;) {
      merged.push(first.records[first.at++]!)
      if (first.at === first.records.length) break
      first = foremost(heads, order)
    }
    yield merged
    const next = await nextList(first.lists)
    heads = next ? heads.with(heads.indexOf(first), next) : heads.filter((head) => head !== first)
  }
  for (let head = heads[0]; head; head = await nextList(head.lists))
    yield head.at === 0 ? head.records : head.records.slice(head.at)
}

interface Head<R> {
  readonly lists: RecordLists<R>
  readonly records: readonly R[]
  at: number
}

async function nextList<R>(lists: RecordLists<R>): Promise<Head<R> | undefined> {
  for (;;) {
    const { value: records, done } = await lists.next()
    if (done) return undefined
    if (records.length > 0) return { lists, records, at: 0 }
  }
}

function foremost<R extends OrderedRecord>(heads: readonly Head<R>[], order: RecordOrder): Head<R> {
  let first = heads[0]!
  for (const head of heads) {
    const [record, other] = [head.records[head.at]!, first.records[first.at]!]
    const before = record.time - other.time || record.partition - other.partition
    if (order === 'asc' ? before < 0 : before > 0) first = head
  }
  return first
}

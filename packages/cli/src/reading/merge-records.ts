import type { QueueRecord } from '@headrace/queue'
import type { RecordLists } from './partition-records.ts'

export type Order = 'asc' | 'desc'

/** Merges the partitions of a topic by time and, where it is equal, by partition. Each stays in its own order. */
export async function* mergeRecords(partitions: readonly RecordLists[], order: Order): RecordLists {
  if (partitions.length === 1) return yield* partitions[0]!
  const precedes = order === 'asc' ? isBefore : (left: QueueRecord, right: QueueRecord) => isBefore(right, left)
  const heads = new Map<RecordLists, Head>()
  for (const lists of partitions) await advance(heads, lists)
  let merged: QueueRecord[] = []
  while (heads.size > 0) {
    let [first, head] = heads.entries().next().value!
    for (const [lists, other] of heads)
      if (precedes(other.records[other.at]!, head.records[head.at]!)) [first, head] = [lists, other]
    merged.push(head.records[head.at++]!)
    if (head.at < head.records.length) continue
    yield merged
    merged = []
    await advance(heads, first)
  }
}

interface Head {
  readonly records: readonly QueueRecord[]
  at: number
}

async function advance(heads: Map<RecordLists, Head>, lists: RecordLists): Promise<void> {
  const { value } = await lists.next()
  if (value) heads.set(lists, { records: value, at: 0 })
  else heads.delete(lists)
}

function isBefore(left: QueueRecord, right: QueueRecord): boolean {
  return left.time < right.time || (left.time === right.time && left.partition < right.partition)
}

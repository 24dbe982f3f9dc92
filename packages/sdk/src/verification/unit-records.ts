import type { StandingRecord } from './read-standing.ts'

/** The records of one partition that stand, in order. */
export interface PartitionRecords<T> {
  /** Whose records they are. */
  readonly of: T
  readonly lists: AsyncIterator<readonly StandingRecord[], void, undefined>
}

/** What stands of one unit, partition by partition. */
export interface UnitRecords<T> {
  readonly unit: number
  readonly partitions: readonly { readonly of: T; readonly records: readonly StandingRecord[] }[]
}

/** Gathers records of several partitions by unit. It holds one unit, and of each partition the list that it is in. */
export async function* gatherUnits<T>(
  partitions: readonly PartitionRecords<T>[],
): AsyncGenerator<UnitRecords<T>, void, undefined> {
  const all = await Promise.all(
    partitions.map(async ({ of, lists }) => ({ of, lists, list: await nextList(lists), at: 0 })),
  )
  for (;;) {
    const unit = Math.min(...all.map(({ list, at }) => list[at]?.unit ?? Number.POSITIVE_INFINITY))
    if (unit === Number.POSITIVE_INFINITY) return
    const found: { of: T; records: readonly StandingRecord[] }[] = []
    for (const partition of all) {
      const records = await takeUnit(partition, unit)
      if (records.length > 0) found.push({ of: partition.of, records })
    }
    yield { unit, partitions: found }
  }
}

interface OpenPartition {
  readonly lists: AsyncIterator<readonly StandingRecord[], void, undefined>
  /** Empty at the end. */
  list: readonly StandingRecord[]
  at: number
}

async function takeUnit(partition: OpenPartition, unit: number): Promise<readonly StandingRecord[]> {
  const records: StandingRecord[] = []
  while (partition.list[partition.at]?.unit === unit) {
    records.push(partition.list[partition.at++]!)
    if (partition.at < partition.list.length) continue
    partition.list = await nextList(partition.lists)
    partition.at = 0
  }
  return records
}

async function nextList(lists: OpenPartition['lists']): Promise<readonly StandingRecord[]> {
  const { value } = await lists.next()
  return value ?? []
}

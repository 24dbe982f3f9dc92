import type { PartitionPlace } from './cursor.ts'

/**
 * The end of a partition, with the seq that comes next there where the last record has one.
 *
 * @param newestFirst - The records before it, in lists that may be empty. No more is read than is needed.
 */
export async function findHead<Found>(
  end: bigint,
  newestFirst: AsyncIterable<readonly Found[]>,
  seqOf: (record: Found) => number | null,
): Promise<PartitionPlace> {
  for await (const [last] of newestFirst) {
    if (last === undefined) continue
    const seq = seqOf(last)
    return { offset: end, seq: seq === null ? null : seq + 1 }
  }
  return { offset: end, seq: null }
}

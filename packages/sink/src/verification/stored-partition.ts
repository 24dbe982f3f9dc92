import type { Destination, StoredRow } from '../destination/destination.ts'

/** The rows of a partition, one at a time, in order of seq. */
export interface StoredPartition {
  /** The next row before `seq`, which is then the one after it. */
  takeBefore(seq: bigint): Promise<StoredRow | undefined>
  take(seq: bigint): Promise<StoredRow | undefined>
  takeNext(): Promise<StoredRow | undefined>
}

export function readPartition(destination: Destination, topic: string, partition: number): StoredPartition {
  const pages = destination.readRows!(topic, partition)[Symbol.asyncIterator]()
  let rows: readonly StoredRow[] = []
  let at = 0

  async function peek(): Promise<StoredRow | undefined> {
    while (at === rows.length) {
      const { value, done } = await pages.next()
      if (done) return undefined
      rows = value
      at = 0
    }
    return rows[at]
  }

  async function takeIf(accept: (row: StoredRow) => boolean): Promise<StoredRow | undefined> {
    const row = at < rows.length ? rows[at] : await peek()
    if (!row || !accept(row)) return undefined
    at++
    return row
  }

  return {
    takeBefore: (seq) => takeIf((row) => row.seq < seq),
    take: (seq) => takeIf((row) => row.seq === seq),
    takeNext: () => takeIf(() => true),
  }
}

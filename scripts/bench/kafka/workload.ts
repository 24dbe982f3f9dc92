/** What one transaction holds. The Java peer makes the same. */
export interface Workload {
  /** Number and bytes of the records, in order of production; each entry goes to a topic of its own. */
  readonly parts: readonly { readonly records: number; readonly valueBytes: number }[]
}

/** A block, its transactions and a checkpoint, over three partitions. */
export const blockWorkload: Workload = {
  parts: [
    { records: 1, valueBytes: 600 },
    { records: 157, valueBytes: 300 },
    { records: 1, valueBytes: 400 },
  ],
}

export const manyRecordsWorkload: Workload = { parts: [{ records: 2_000, valueBytes: 200 }] }

export const keyBytes = 32

/** A client that writes transactions of a workload to topics of its own. */
export interface Contestant {
  /** Writes transactions back to back for about this long and gives their number per second. */
  backToBack(workload: Workload, durationMs: number): Promise<number>
  /** Writes transactions at a steady pace and gives the median time of one, begun to committed, in ms. */
  paced(workload: Workload, options: { readonly count: number; readonly everyMs: number }): Promise<number>
  close(): Promise<void>
}

export function recordsPerTransaction({ parts }: Workload): number {
  return parts.reduce((sum, { records }) => sum + records, 0)
}

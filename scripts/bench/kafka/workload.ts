export interface Workload {
  /** Number and size of the records, in the order of production. Each part goes to its own topic. */
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

/** A client that writes transactions to its own topics. */
export interface Contestant {
  /** Writes transactions back to back. Returns their number per second. */
  backToBack(workload: Workload, durationMs: number): Promise<number>
  /** Writes transactions at a fixed rate and returns the median time of one, in ms. */
  paced(workload: Workload, options: { readonly count: number; readonly everyMs: number }): Promise<number>
  close(): Promise<void>
}

export function recordsPerTransaction({ parts }: Workload): number {
  return parts.reduce((sum, { records }) => sum + records, 0)
}

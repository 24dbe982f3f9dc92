import type { Workload } from '../kafka/workload.ts'

export { blockWorkload, type Contestant, keyBytes, recordsPerTransaction, type Workload } from '../kafka/workload.ts'

/** Many small records between a block and a checkpoint. */
export const manyRecordsWorkload: Workload = {
  parts: [
    { records: 1, valueBytes: 600 },
    { records: 2_000, valueBytes: 200 },
    { records: 1, valueBytes: 400 },
  ],
}

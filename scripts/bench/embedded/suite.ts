import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedQueue } from '../../../packages/queue/src/embedded/embedded-queue.ts'
import type { Bench, BenchContext, OpenSuite, Suite } from '../bench.ts'
import { openOurs } from '../kafka/in-process.ts'
import { blockWorkload, type Contestant, recordsPerTransaction, type Workload } from '../kafka/workload.ts'
import { openBareSqlite } from './bare-sqlite.ts'

/** Durable transactions in one file, against SQLite alone. */
export const embeddedSuite: Suite = { name: 'embedded', open }

/** Many small records between a block and a checkpoint. */
const manyRecordsWorkload: Workload = {
  parts: [
    { records: 1, valueBytes: 600 },
    { records: 2_000, valueBytes: 200 },
    { records: 1, valueBytes: 400 },
  ],
}

async function open({ quick }: BenchContext): Promise<OpenSuite> {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-bench-'))
  const topics = ['block', 'transaction', 'checkpoint']
  const queue = await createEmbeddedQueue({ directory, create: true })
  await queue.createTopics(topics.map((name) => ({ name })))
  const ours = await openOurs(queue, topics)
  const bare = openBareSqlite(directory, topics)
  return {
    benches: [
      commits('embedded, 1 + 157 + 1 records', blockWorkload),
      commits('embedded, 1 + 2,000 + 1 records', manyRecordsWorkload),
    ],
    async close() {
      await Promise.all([ours.close(), bare.close()])
      rmSync(directory, { recursive: true })
    },
  }

  function commits(name: string, workload: Workload): Bench {
    const measure = (contestant: Contestant) => async () =>
      (await contestant.backToBack(workload, quick ? 500 : 3_000)) * recordsPerTransaction(workload)
    return {
      name: `${name}, durable, back to back`,
      unit: 'records/s',
      better: 'higher',
      contestants: { ours: measure(ours), 'bare node:sqlite': measure(bare) },
      targets: { 'bare node:sqlite': 0.8 },
    }
  }
}

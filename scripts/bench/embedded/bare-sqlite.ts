import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BatchEncoder } from '../../../packages/queue/src/record-batch/encode.ts'
import { inProcess } from '../kafka/in-process.ts'
import { type Contestant, keyBytes, type Workload } from '../kafka/workload.ts'

/**
 * SQLite alone, with the queue's settings: the bytes that the queue would store, encoded in advance, in one row per topic
 * and transaction.
 */
export function openBareSqlite(directory: string, topics: readonly string[]): Contestant {
  const database = new DatabaseSync(join(directory, 'bare.db'))
  database.exec('PRAGMA page_size = 16384')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA cache_size = -16384')
  const inserts = topics.map((_, index) => {
    database.exec(`CREATE TABLE topic_${index} (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT`)
    return database.prepare(`INSERT INTO topic_${index} (bytes) VALUES (?)`)
  })
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const ready = new Map<Workload, readonly Uint8Array[]>()

  return inProcess(
    async (workload) => {
      const blobs = ready.get(workload) ?? encodeParts(workload)
      ready.set(workload, blobs)
      begin.run()
      for (const [index, bytes] of blobs.entries()) inserts[index]!.run(bytes)
      commit.run()
    },
    async () => database.close(),
  )
}

function encodeParts({ parts }: Workload): Uint8Array[] {
  const key = Buffer.alloc(keyBytes, 'k')
  return parts.map(({ records, valueBytes }) => {
    const encoder = new BatchEncoder()
    const value = Buffer.alloc(valueBytes, 'v')
    for (let count = 0; count < records; count++) encoder.append({ key, value, time: Date.now() })
    return encoder.finish()
  })
}

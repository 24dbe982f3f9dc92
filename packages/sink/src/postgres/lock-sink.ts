import { setTimeout as delay } from 'node:timers/promises'
import type { SinkContext } from '../destination/destination.ts'
import type { Database } from './database.ts'

/** Ms between two attempts. */
const pauseMs = 500

/**
 * Waits until no other run of this sink, in this schema, holds the lock. A lock belongs to its connection, so a run that was killed
 * releases it. It is polled because a waiting query would not end with the signal. It only avoids useless work: `apply`
 * detects another run by the cursor.
 */
export async function lockSink(database: Database, schema: string, { name, log, signal }: SinkContext): Promise<void> {
  const sql = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked'
  for (let attempt = 0; ; attempt++) {
    const [row] = await database.query<{ locked: boolean }>(sql, [`headrace sink ${name} in ${schema}`])
    if (row!.locked) return
    if (attempt === 0) log.info({ sink: name }, 'waiting for another run of this sink')
    await delay(pauseMs, undefined, { signal })
  }
}

import { toQueueError } from './sqlite-error.ts'
import type { Storage } from './storage.ts'
import { closedError } from './write-lock.ts'

/** Runs `work` in one read transaction, or in the one that is open. */
export type InSnapshot = <T>(work: () => T) => T

export function createSnapshot({ database, file }: Storage, closing: AbortSignal): InSnapshot {
  const begin = database.prepare('BEGIN')
  const commit = database.prepare('COMMIT')
  return (work) => {
    if (closing.aborted) throw closedError()
    if (database.isTransaction) return work()
    try {
      begin.run()
      const result = work()
      commit.run()
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw toQueueError(error, file)
    }
  }
}

import { toQueueError } from './sqlite-error.ts'
import type { Storage } from './storage.ts'

/** Runs `work` in one read transaction, or in the one that is open. */
export type InSnapshot = <T>(work: () => T) => T

export function createSnapshot({ database, file }: Storage): InSnapshot {
  const begin = database.prepare('BEGIN')
  const commit = database.prepare('COMMIT')
  return (work) => {
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

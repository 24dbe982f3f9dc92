import { toQueueError } from './sqlite-error.ts'
import type { Storage } from './storage.ts'

/**
 * Runs several statements in one read transaction, so that no commit of another process comes between them. Within a
 * transaction, a write transaction included, it runs in that one, which `work` must neither commit nor roll back.
 */
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

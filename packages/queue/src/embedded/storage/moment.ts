import { toQueueError } from './sqlite-error.ts'
import type { Storage } from './storage.ts'

/**
 * Lets several statements see the queue as it is at one moment: another process may commit or delete between two
 * statements that are not in one transaction. Within a transaction, a write transaction included, it is the moment of that
 * transaction, which the work neither commits nor rolls back.
 */
export type AtOneMoment = <T>(work: () => T) => T

export function createMoment({ database, file }: Storage): AtOneMoment {
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

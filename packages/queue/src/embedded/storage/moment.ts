import { toQueueError } from './sqlite-error.ts'
import type { Storage } from './storage.ts'

/**
 * Lets several statements see the queue as it is at one moment: another process may commit or delete between two
 * statements that are not in one transaction.
 */
export type AtOneMoment = <T>(work: () => T) => T

export function createMoment({ database, file }: Storage): AtOneMoment {
  const begin = database.prepare('BEGIN')
  const commit = database.prepare('COMMIT')
  return (work) => {
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

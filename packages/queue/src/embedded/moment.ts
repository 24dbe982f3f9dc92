import type { Storage } from './storage.ts'

/**
 * Lets several statements see the queue as it is at one moment: another process may commit or delete between two
 * statements that are not in one transaction.
 */
export type AtOneMoment = <T>(work: () => T) => T

export function createMoment({ database }: Storage): AtOneMoment {
  const begin = database.prepare('BEGIN')
  const commit = database.prepare('COMMIT')
  return (work) => {
    begin.run()
    try {
      return work()
    } finally {
      commit.run()
    }
  }
}

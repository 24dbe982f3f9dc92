import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { QueueUnavailableError } from '../errors.ts'
import { isBusy, toQueueError } from './sqlite-error.ts'
import type { Storage } from './storage.ts'

/** SQLite's write transaction, which one connection of all processes holds at a time. */
export interface WriteLock {
  /**
   * Runs `work` in a write transaction and resolves when what it wrote is durable. One after the other, in the order
   * of the calls. Nothing is written where `work` throws.
   *
   * @throws {QueueUnavailableError} another process kept the lock for 45 s, the disk failed, or the queue was closed.
   */
  run<T>(work: () => T): Promise<T>
}

export function createWriteLock({ database, file }: Storage, closing: AbortSignal): WriteLock {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let turn: Promise<void> = Promise.resolve()

  async function takeLock(): Promise<void> {
    const deadline = performance.now() + budgetMs
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      if (closing.aborted) throw closedError()
      try {
        begin.run()
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error
      }
      await delay(pauseMs)
    }
  }

  return {
    async run(work) {
      const mine = Promise.withResolvers<void>()
      const before = turn
      turn = mine.promise
      try {
        await before
        await takeLock()
        const result = work()
        commit.run()
        return result
      } catch (error) {
        rollBack(database)
        throw toQueueError(error, file)
      } finally {
        mine.resolve()
      }
    },
  }
}

/** The budget of the engine, as long as that of the Kafka engine. */
const budgetMs = 45_000
const longestPauseMs = 25

export function closedError(): QueueUnavailableError {
  return new QueueUnavailableError('The queue has been closed.')
}

function rollBack(database: DatabaseSync): void {
  if (database.isOpen && database.isTransaction) database.exec('ROLLBACK')
}

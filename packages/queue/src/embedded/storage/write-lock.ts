import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { QueueUnavailableError } from '../../errors.ts'
import { startStopwatch } from '../../stopwatch.ts'
import { lockedError } from './lock-holder.ts'
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
  /**
   * A map for what was read or written within write transactions. Its entries hold for the next one: it is cleared when
   * another process has written meanwhile, or a transaction has failed.
   */
  remember<K, V>(): Map<K, V>
}

export function createWriteLock({ database, file }: Storage, closing: AbortSignal): WriteLock {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const dataVersion = database.prepare('PRAGMA data_version')
  const remembered: Map<unknown, unknown>[] = []
  let version = -1
  let turn: Promise<void> = Promise.resolve()
  let yieldedAt = performance.now()

  function tryBegin(): boolean {
    try {
      begin.run()
      return true
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    }
  }

  function forget(): void {
    for (const map of remembered) map.clear()
  }

  /** A commit blocks the thread. Many in a row would keep timers and sockets from their turn. */
  async function yieldNowAndThen(): Promise<void> {
    if (performance.now() - yieldedAt < longestTurnMs) return
    await nextTurn()
    yieldedAt = performance.now()
  }

  /** From beginning to end in one go: between two turns of the event loop the connection is in no transaction. */
  function tryRun<T>(work: () => T): { result: T } | undefined {
    if (closing.aborted) throw closedError()
    try {
      if (!tryBegin()) return undefined
      const now = (dataVersion.get() as { data_version: number }).data_version
      if (now !== version) forget()
      version = now
      const result = work()
      commit.run()
      return { result }
    } catch (error) {
      forget()
      if (database.isTransaction) database.exec('ROLLBACK')
      throw toQueueError(error, file)
    }
  }

  /** For as long as another process holds the lock. */
  async function waitAndRun<T>(work: () => T): Promise<{ result: T }> {
    using stopwatch = startStopwatch()
    for (let pauseMs = 1; stopwatch.elapsedMs <= budgetMs; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      await delay(pauseMs)
      const done = tryRun(work)
      if (done) return done
    }
    throw lockedError(file)
  }

  return {
    async run(work) {
      const mine = Promise.withResolvers<void>()
      const before = turn
      turn = mine.promise
      try {
        await before
        const done = tryRun(work) ?? (await waitAndRun(work))
        await yieldNowAndThen()
        return done.result
      } finally {
        mine.resolve()
      }
    },
    remember<K, V>() {
      const map = new Map<K, V>()
      remembered.push(map)
      return map
    },
  }
}

/** The budget of the engine, as long as that of the Kafka engine. */
const budgetMs = 45_000
const longestPauseMs = 25
const longestTurnMs = 8

export function closedError(): QueueUnavailableError {
  return new QueueUnavailableError('The queue has been closed.')
}

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { startStopwatch } from '../../stopwatch.ts'
import { lockedError } from './lock-holder.ts'
import { isBusy, toQueueError } from './sqlite-error.ts'
import { closedError, type Storage } from './storage.ts'

/** SQLite's write transaction, which one connection among all processes holds at a time. */
export interface WriteLock {
  /**
   * Runs `work` in a write transaction and resolves when it is durable. Calls run in order.
   *
   * @throws {QueueUnavailableError} another process held the lock for 45 s, the disk failed, or the queue was closed.
   */
  run<T>(work: () => T): Promise<T>
  /** Of this process, at least: failed ones may count. */
  readonly commits: number
  /** A cache that is cleared when another process has written or a transaction has failed. */
  createCache<K, V>(): Map<K, V>
}

export function createWriteLock({ database, file }: Storage, closing: AbortSignal): WriteLock {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const dataVersion = database.prepare('PRAGMA data_version')
  const caches: Map<unknown, unknown>[] = []
  let version = -1
  let commits = 0
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

  function clearCaches(): void {
    for (const map of caches) map.clear()
  }

  /** Commits block the thread, so many in a row would starve timers and sockets. */
  async function yieldIfDue(): Promise<void> {
    if (performance.now() - yieldedAt < longestTurnMs) return
    await nextTurn()
    yieldedAt = performance.now()
  }

  /** Synchronous, because the connection is shared: no transaction lasts beyond a turn of the event loop. */
  function tryRun<T>(work: () => T): { result: T } | undefined {
    if (closing.aborted) throw closedError()
    try {
      if (!tryBegin()) return undefined
      const now = (dataVersion.get() as { data_version: number }).data_version
      if (now !== version) clearCaches()
      version = now
      const result = work()
      commit.run()
      commits++
      return { result }
    } catch (error) {
      clearCaches()
      // The disk may have failed after the commit.
      commits++
      if (database.isTransaction) database.exec('ROLLBACK')
      throw toQueueError(error, file)
    }
  }

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
    get commits() {
      return commits
    },
    async run(work) {
      const mine = Promise.withResolvers<void>()
      const before = turn
      turn = mine.promise
      try {
        await before
        const done = tryRun(work) ?? (await waitAndRun(work))
        await yieldIfDue()
        return done.result
      } finally {
        mine.resolve()
      }
    },
    createCache<K, V>() {
      const map = new Map<K, V>()
      caches.push(map)
      return map
    },
  }
}

const budgetMs = 45_000
const longestPauseMs = 25
const longestTurnMs = 8

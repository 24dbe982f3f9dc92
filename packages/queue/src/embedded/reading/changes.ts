import type { BatchTable } from '../storage/batch-table.ts'
import type { Storage } from '../storage/storage.ts'
import type { Partition } from '../storage/topics.ts'

/** Tells who waits for records that there are some. */
export interface Changes {
  /** Says that this process has committed to partitions. */
  committed(partitions: readonly Partition[]): void
  /**
   * Resolves with those of the partitions that reach beyond the offset given for them; with none when the time is over,
   * the signal is aborted or the queue is closed.
   */
  wait(ends: ReadonlyMap<Partition, bigint>, options: WaitOptions): Promise<readonly Partition[]>
}

export interface WaitOptions {
  /** Default: for ever. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

interface Waiter {
  readonly ends: ReadonlyMap<Partition, bigint>
  /** The version of the database for which `ends` has been compared. */
  version: number
  wake(grown: readonly Partition[]): void
}

/**
 * Commits of this process wake at once. SQLite has no word for those of other processes but `PRAGMA data_version`,
 * which is cheap: while anybody waits it is asked every few milliseconds.
 */
export function createChanges({ database }: Storage, batches: BatchTable, closing: AbortSignal): Changes {
  const dataVersion = database.prepare('PRAGMA data_version')
  const waiters = new Set<Waiter>()
  let timer: NodeJS.Timeout | undefined
  let version = -1
  let changedAt = performance.now()

  closing.addEventListener('abort', () => {
    clearTimeout(timer)
    for (const waiter of waiters) waiter.wake([])
  })

  function look(): void {
    timer = undefined
    try {
      wakeGrown()
    } catch {
      // Whoever waits meets the error when it reads.
      for (const waiter of waiters) waiter.wake([...waiter.ends.keys()])
    }
    lookAgain()
  }

  function lookAgain(): void {
    if (waiters.size > 0) timer ??= setTimeout(look, pauseAfter(performance.now() - changedAt))
  }

  function wakeGrown(): void {
    const now = (dataVersion.get() as { data_version: number }).data_version
    if (now !== version) {
      version = now
      changedAt = performance.now()
    }
    const known = new Map<Partition, bigint>()
    for (const waiter of waiters) if (waiter.version !== version) compare(waiter, known)
  }

  function compare(waiter: Waiter, known: Map<Partition, bigint>): void {
    waiter.version = version
    const grown: Partition[] = []
    for (const [partition, end] of waiter.ends) {
      const now = known.get(partition) ?? BigInt(batches.end(partition))
      known.set(partition, now)
      if (now > end) grown.push(partition)
    }
    if (grown.length > 0) waiter.wake(grown)
  }

  return {
    committed(partitions) {
      for (const waiter of waiters) {
        const grown = partitions.filter((partition) => waiter.ends.has(partition))
        if (grown.length > 0) waiter.wake(grown)
      }
    },
    wait: (ends, { timeoutMs, signal }) =>
      new Promise((resolve) => {
        const waiter: Waiter = {
          ends,
          version: -1,
          wake(grown) {
            waiters.delete(waiter)
            clearTimeout(timeout)
            signal?.removeEventListener('abort', giveUp)
            resolve(grown)
          },
        }
        const giveUp = () => waiter.wake([])
        const timeout = timeoutMs === undefined ? undefined : setTimeout(giveUp, Math.min(timeoutMs, longestTimeoutMs))
        signal?.addEventListener('abort', giveUp)
        if (signal?.aborted || closing.aborted) return giveUp()
        waiters.add(waiter)
        lookAgain()
      }),
  }
}

/** What timers take. */
const longestTimeoutMs = 2 ** 31 - 1

/** Short while there is traffic, longer in silence, and never so long that a commit waits 25 ms to be seen. */
function pauseAfter(silenceMs: number): number {
  return Math.min(2 + silenceMs / 100, 18)
}

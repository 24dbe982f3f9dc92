import type { BatchTable } from '../storage/batch-table.ts'
import type { Storage } from '../storage/storage.ts'
import type { Partition } from '../storage/topic-rows.ts'

export interface Changes {
  notifyCommitted(partitions: readonly Partition[]): void
  /** The partitions that end after their offset; none on timeout, abort or close. */
  wait(ends: ReadonlyMap<Partition, bigint>, signal?: AbortSignal, timeoutMs?: number): Promise<readonly Partition[]>
}

interface Waiter {
  readonly ends: ReadonlyMap<Partition, bigint>
  /** `PRAGMA data_version` at which `ends` were compared last. */
  version: number
  wake(grown: readonly Partition[]): void
}

/** Commits of other processes are found by polling `PRAGMA data_version` while there are waiters. */
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

  function poll(): void {
    timer = undefined
    try {
      wakeGrown()
    } catch {
      for (const waiter of waiters) waiter.wake([...waiter.ends.keys()])
    }
    schedulePoll()
  }

  function schedulePoll(): void {
    if (waiters.size > 0) timer ??= setTimeout(poll, pauseAfter(performance.now() - changedAt))
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
    notifyCommitted(partitions) {
      for (const waiter of waiters) {
        const grown = partitions.filter((partition) => waiter.ends.has(partition))
        if (grown.length > 0) waiter.wake(grown)
      }
    },
    wait: (ends, signal, timeoutMs = longestTimeoutMs) =>
      new Promise((resolve) => {
        const waiter: Waiter = {
          ends,
          version: -1,
          wake(grown) {
            waiters.delete(waiter)
            clearTimeout(timeout)
            signal?.removeEventListener('abort', wakeWithNone)
            resolve(grown)
          },
        }
        const wakeWithNone = () => waiter.wake([])
        const timeout = setTimeout(wakeWithNone, Math.min(timeoutMs, longestTimeoutMs))
        signal?.addEventListener('abort', wakeWithNone)
        if (signal?.aborted || closing.aborted) return wakeWithNone()
        waiters.add(waiter)
        schedulePoll()
      }),
  }
}

const longestTimeoutMs = 2 ** 31 - 1

/** In ms. Grows with the silence, and keeps the latency of a commit below 25 ms. */
function pauseAfter(silenceMs: number): number {
  return Math.min(2 + silenceMs / 100, 18)
}

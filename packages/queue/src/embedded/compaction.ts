import { setTimeout as delay } from 'node:timers/promises'
import { HeadraceError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Engine } from './engine.ts'
import type { Partition } from './storage/topic-rows.ts'

export type CompactionSettings = Readonly<typeof defaultCompaction>

export const defaultCompaction = {
  startAfterMs: 1_000,
  intervalMs: 60_000,
  /** Rows per write lock, at least 2. */
  sliceRows: 256,
  pauseMs: 5,
  now: (): number => Date.now(),
}

type CompactedEngine = Pick<Engine, 'topics' | 'batches' | 'lock' | 'closing'>

/** It can be interrupted anywhere, and several processes may compact the same partition. */
export async function compactPartition(
  { topics, batches, lock, closing }: CompactedEngine,
  partition: Partition,
  { sliceRows, pauseMs, now }: CompactionSettings,
): Promise<void> {
  const time = now()
  let next: number | undefined = topics.earliest(partition)
  while (next !== undefined) {
    const from: number = next
    next = await lock.run(() => batches.removeStale(partition, from, time, sliceRows))
    await delay(pauseMs, undefined, { ref: false, signal: closing })
  }
}

export function createCompactor(
  engine: CompactedEngine,
  settings: CompactionSettings,
  log: Logger | undefined,
): Pick<Engine, 'notifyCommitted'> {
  const { closing } = engine
  const waiting = new Set<Partition>()
  let working = false

  async function work(): Promise<void> {
    working = true
    try {
      await delay(settings.startAfterMs, undefined, { ref: false, signal: closing })
      while (waiting.size > 0) {
        const partitions = [...waiting]
        waiting.clear()
        for (const partition of partitions) await compactPartition(engine, partition, settings)
        await delay(settings.intervalMs, undefined, { ref: false, signal: closing })
      }
    } catch (error) {
      if (closing.aborted) return
      // The next caller that reads or writes the partition gets the same error.
      if (!(error instanceof HeadraceError)) throw error
      log?.warn({ code: error.code, reason: error.message }, 'compaction failed')
    } finally {
      working = false
    }
  }

  return {
    notifyCommitted(partitions) {
      for (const partition of partitions) if (partition.cleanup === 'compact') waiting.add(partition)
      if (waiting.size > 0 && !working) void work()
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { HeadraceError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topics.ts'
import { compactPartition } from './compact-partition.ts'
import type { CompactionSettings } from './compaction-settings.ts'
import { findDirtyPart } from './dirty-part.ts'

/** Compacts the partitions that this process writes to, in the background. */
export interface Compactor {
  /** To be called after a commit of this process. */
  notifyCommitted(partitions: readonly Partition[]): void
}

export function createCompactor(
  engine: Pick<Engine, 'inSnapshot' | 'topics' | 'batches' | 'lock' | 'closing'>,
  settings: CompactionSettings,
  log?: Logger,
): Compactor {
  const { closing } = engine
  const waiting = new Set<Partition>()
  let working = false

  async function work(): Promise<void> {
    while (waiting.size > 0) {
      await delay(settings.lookAfterMs, undefined, { ref: false, signal: closing })
      const partitions = [...waiting]
      waiting.clear()
      for (const partition of partitions) {
        const part = findDirtyPart(engine, partition, settings)
        if (part !== undefined) await compactPartition(engine, partition, part, settings)
        closing.throwIfAborted()
      }
    }
  }

  async function start(): Promise<void> {
    working = true
    try {
      await work()
    } catch (error) {
      if (closing.aborted) return
      // The same failure is reported to the next caller that reads or writes the partition.
      if (!(error instanceof HeadraceError)) throw error
      log?.warn({ code: error.code, reason: error.message }, 'compaction failed')
    } finally {
      working = false
    }
  }

  return {
    notifyCommitted(partitions) {
      for (const partition of partitions) if (partition.cleanup === 'compact') waiting.add(partition)
      if (waiting.size > 0 && !working) void start()
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { HeadraceError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topics.ts'
import { compactPartition } from './compact-partition.ts'
import type { CompactionSettings } from './compaction-settings.ts'
import { findDirtyPart } from './dirty-part.ts'

/** Compacts the partitions that this process writes to, beside its other work. */
export interface Compactor {
  /** Says that this process has committed to partitions. */
  committed(partitions: readonly Partition[]): void
}

export function createCompactor(
  engine: Pick<Engine, 'atOneMoment' | 'topics' | 'batches' | 'lock' | 'closing'>,
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
      // What fails here fails again when the partition is read or written, and is told then to whoever does so.
      if (!(error instanceof HeadraceError)) throw error
      log?.warn({ code: error.code, reason: error.message }, 'compaction was broken off')
    } finally {
      working = false
    }
  }

  return {
    committed(partitions) {
      for (const partition of partitions) if (partition.cleanup === 'compact') waiting.add(partition)
      if (waiting.size > 0 && !working) void start()
    },
  }
}

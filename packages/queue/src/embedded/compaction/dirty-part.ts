import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topics.ts'
import type { CompactionSettings } from './compaction-settings.ts'

/** Offsets to compact. */
export interface DirtyPart {
  /** Compaction has processed the records before this offset. */
  readonly begin: number
  /** The offset after the last one to compact. */
  readonly end: number
}

/** The part of a partition that is not compacted yet, if it is large enough to be worth a compaction. */
export function findDirtyPart(
  { inSnapshot, topics, batches }: Pick<Engine, 'inSnapshot' | 'topics' | 'batches'>,
  partition: Partition,
  { minDirtyBytes, minDirtyRatio, activeBytes }: CompactionSettings,
): DirtyPart | undefined {
  return inSnapshot(() => {
    const begin = topics.compacted(partition)
    let end = batches.end(partition)
    let active = 0
    let dirty = 0
    let clean = 0
    let rows = 0
    for (const { baseOffset, size } of batches.newestWith(partition, everyBatch, topics.earliest(partition))) {
      if (active < activeBytes) {
        active += size
        end = baseOffset
      } else if (baseOffset >= begin) dirty += size
      else clean += size
      // Bounds the time for a long partition.
      if (++rows === mostRows) break
    }
    const worthIt = dirty >= minDirtyBytes && dirty >= minDirtyRatio * (dirty + clean)
    return worthIt ? { begin, end } : undefined
  })
}

const everyBatch = { low: 0, high: 0 }
const mostRows = 10_000

import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topics.ts'
import type { CompactionSettings } from './compaction-settings.ts'

/** Offsets that are to be compacted. */
export interface DirtyPart {
  /** Compaction has been through the records before this one. */
  readonly begin: number
  /** Where the batches begin that are left alone. */
  readonly end: number
}

/** The part of a partition that no compaction has been through, where it is large enough to be worth one. */
export function findDirtyPart(
  { atOneMoment, topics, batches }: Pick<Engine, 'atOneMoment' | 'topics' | 'batches'>,
  partition: Partition,
  { minDirtyBytes, minDirtyRatio, activeBytes }: CompactionSettings,
): DirtyPart | undefined {
  return atOneMoment(() => {
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
      // However long the partition is, looking at it does not take long.
      if (++rows === mostRows) break
    }
    const worthIt = dirty >= minDirtyBytes && dirty >= minDirtyRatio * (dirty + clean)
    return worthIt ? { begin, end } : undefined
  })
}

const everyBatch = { low: 0, high: 0 }
const mostRows = 10_000

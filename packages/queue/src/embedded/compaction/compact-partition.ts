import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import type { BatchRow } from '../storage/batch-rows.ts'
import type { Partition } from '../storage/topics.ts'
import type { CompactionSettings } from './compaction-settings.ts'
import type { DirtyPart } from './dirty-part.ts'
import { encodeMerge } from './encode-merge.ts'
import { createBatchMerger } from './merge-batches.ts'
import { createNewestOffsets, type NewestOffsets } from './newest-offsets.ts'

type CompactedEngine = Pick<Engine, 'atOneMoment' | 'topics' | 'batches' | 'lock' | 'closing'>

/**
 * Removes the records of a partition of which a newer one with the same key is known, as Kafka's log cleaner does: no
 * record changes its offset, and the batches before the dirty part are gone through as well.
 *
 * It reads without the lock and takes it only to put back a few batches at a time, if these are still as they were read:
 * another process may be compacting too, and then this one gives up. Whatever ends it, the partition is whole, and the
 * next compaction begins anew.
 */
export async function compactPartition(
  engine: CompactedEngine,
  partition: Partition,
  part: DirtyPart,
  settings: CompactionSettings,
): Promise<void> {
  for (let begin = part.begin; begin < part.end; ) {
    const { newest, end } = await collectNewest(engine, partition, { begin, end: part.end }, settings)
    if (!(await removeStale(engine, partition, { newest, compacted: begin, end }, settings))) return
    await engine.lock.run(() => {
      if (engine.topics.compacted(partition) < end) engine.topics.setCompacted(partition, end)
    })
    begin = end
  }
}

/** The newest offsets of the keys of the dirty part, or of as much of it as memory is granted for. */
async function collectNewest(
  { atOneMoment, batches, closing }: CompactedEngine,
  partition: Partition,
  { begin, end }: DirtyPart,
  { keysAtOnce, keyBytesAtOnce, pauseMs, ...settings }: CompactionSettings,
): Promise<{ newest: NewestOffsets; end: number }> {
  const newest = createNewestOffsets({ keys: keysAtOnce, bytes: keyBytesAtOnce })
  let next = begin
  while (next < end && !newest.full) {
    if (next > begin) await delay(pauseMs, undefined, { ref: false, signal: closing })
    atOneMoment(() => {
      for (const row of slice(batches.rowsFrom(partition, next), settings)) {
        if (row.baseOffset >= end || newest.full) break
        next = row.lastOffset + 1
        if (row.bytesId === 0) continue
        for (const { key, offset } of batches.load(partition, row).records()) if (key !== null) newest.add(key, offset)
      }
    })
  }
  return { newest, end: next }
}

/** Returns whether it got to the end. */
async function removeStale(
  { atOneMoment, topics, batches, lock, closing }: CompactedEngine,
  partition: Partition,
  { newest, compacted, end }: { newest: NewestOffsets; compacted: number; end: number },
  settings: CompactionSettings,
): Promise<boolean> {
  const now = settings.now()
  let next = topics.earliest(partition)
  while (next < end) {
    const merger = createBatchMerger({ newest, compacted, now, settings })
    atOneMoment(() => {
      for (const row of slice(batches.rowsFrom(partition, next), settings)) {
        if (row.baseOffset >= end) break
        next = row.lastOffset + 1
        if (row.bytesId === 0) merger.cut()
        else merger.add(row, batches.load(partition, row))
      }
    })
    const replacements = merger.finish().map(encodeMerge)
    if (replacements.length > 0) {
      const replaced = await lock.run(() => batches.replace(partition, replacements))
      if (!replaced) return false
    }
    await delay(settings.pauseMs, undefined, { ref: false, signal: closing })
  }
  return true
}

/** Rows until enough has been read in one go. */
function* slice(
  rows: Iterable<BatchRow>,
  { sliceBytes, sliceBatches }: Pick<CompactionSettings, 'sliceBytes' | 'sliceBatches'>,
): Generator<BatchRow, void, undefined> {
  let bytes = 0
  let batches = 0
  for (const row of rows) {
    yield row
    bytes += row.size
    if (bytes >= sliceBytes || ++batches >= sliceBatches) return
  }
}

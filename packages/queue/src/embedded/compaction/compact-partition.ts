import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import type { BatchRow } from '../storage/batch-rows.ts'
import type { Partition } from '../storage/topics.ts'
import type { CompactionSettings } from './compaction-settings.ts'
import type { DirtyPart } from './dirty-part.ts'
import { encodeMerge } from './encode-merge.ts'
import { createBatchMerger } from './merge-batches.ts'
import { createNewestOffsets, type NewestOffsets } from './newest-offsets.ts'

type CompactedEngine = Pick<Engine, 'inSnapshot' | 'topics' | 'batches' | 'lock' | 'closing'>

/**
 * Removes each record of a partition that has a newer one with the same key, as Kafka's log cleaner does. Offsets do not
 * change. Batches before the dirty part are processed too.
 *
 * It reads without the lock, and takes it to replace a few batches at a time. If these have changed, another process is
 * compacting too, and this one gives up. It can be interrupted anywhere; the next compaction then starts again.
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

/** The newest offset of each key in the dirty part, or in as much of it as the limits on memory allow. */
async function collectNewest(
  { inSnapshot, batches, closing }: CompactedEngine,
  partition: Partition,
  { begin, end }: DirtyPart,
  { keysAtOnce, keyBytesAtOnce, pauseMs, ...settings }: CompactionSettings,
): Promise<{ newest: NewestOffsets; end: number }> {
  const newest = createNewestOffsets({ keys: keysAtOnce, bytes: keyBytesAtOnce })
  let next = begin
  while (next < end && !newest.full) {
    if (next > begin) await delay(pauseMs, undefined, { ref: false, signal: closing })
    inSnapshot(() => {
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

/** Returns whether it reached the end. */
async function removeStale(
  { inSnapshot, topics, batches, lock, closing }: CompactedEngine,
  partition: Partition,
  { newest, compacted, end }: { newest: NewestOffsets; compacted: number; end: number },
  settings: CompactionSettings,
): Promise<boolean> {
  const now = settings.now()
  let next = topics.earliest(partition)
  while (next < end) {
    const merger = createBatchMerger({ newest, compacted, now, settings })
    inSnapshot(() => {
      for (const row of slice(batches.rowsFrom(partition, next), settings)) {
        if (row.baseOffset >= end) break
        next = row.lastOffset + 1
        if (row.bytesId === 0) merger.split()
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

/** The first rows, up to the size of a slice. */
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

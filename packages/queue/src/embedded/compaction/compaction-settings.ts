/** When and how compacted topics are compacted. The defaults follow Kafka's where it has such a setting. */
export interface CompactionSettings {
  /**
   * The share of a partition's bytes that must be dirty, which is not compacted yet, before it is compacted
   * (`min.cleanable.dirty.ratio`). Default 0.5.
   */
  readonly minDirtyRatio: number
  /** Bytes that must be dirty. Default 1 MiB. */
  readonly minDirtyBytes: number
  /** Bytes of the newest batches that are not compacted, as Kafka's active segment. Default 64 KiB. */
  readonly activeBytes: number
  /** How long a tombstone is kept after its first compaction, in ms (`delete.retention.ms`). Default 24 hours. */
  readonly tombstonesMs: number
  /** Adjacent small batches are merged up to this size in bytes. Default 64 KiB. */
  readonly batchBytes: number
  /** Keys in memory at once. A partition with more is compacted in rounds. Default 65,536. */
  readonly keysAtOnce: number
  /** Bytes of these keys. Default 8 MiB. */
  readonly keyBytesAtOnce: number
  /** Bytes that are processed without a pause. Default 128 KiB. */
  readonly sliceBytes: number
  /** Batches that are processed without a pause. Default 128. */
  readonly sliceBatches: number
  /** The pause between two slices, in ms. Default 5. */
  readonly pauseMs: number
  /** How long after a commit its partitions are checked, in ms. Default 1,000. */
  readonly lookAfterMs: number
  /** The time now, in ms since the Unix epoch. Default `Date.now`. */
  readonly now: () => number
}

export const defaultCompaction: CompactionSettings = {
  minDirtyRatio: 0.5,
  minDirtyBytes: 1024 * 1024,
  activeBytes: 64 * 1024,
  tombstonesMs: 24 * 60 * 60 * 1000,
  batchBytes: 64 * 1024,
  keysAtOnce: 65_536,
  keyBytesAtOnce: 8 * 1024 * 1024,
  sliceBytes: 128 * 1024,
  sliceBatches: 128,
  pauseMs: 5,
  lookAfterMs: 1_000,
  now: Date.now,
}

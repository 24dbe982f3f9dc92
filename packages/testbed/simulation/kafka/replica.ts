import { batchLayout } from '../../../queue/src/record-batch/layout.ts'
import { type StoredBatch, viewBatch } from '../../../queue/src/record-batch/stored-batch.ts'

/** The replica of a partition on one broker. */
export interface Replica {
  readonly batches: LoggedBatch[]
  /** Start offset of each leader epoch that has batches here or in which this broker led, in order. */
  readonly epochs: { readonly epoch: number; readonly start: bigint }[]
  /** The files of the log. An answer to a reader ends with a segment. */
  readonly segments: Segment[]
  /** Replacements of compacted batches. Undefined: the batch is removed. */
  readonly cleaned: Map<LoggedBatch, LoggedBatch | undefined>
  /** The value that this broker knows. Followers learn it one fetch later. */
  highWatermark: bigint
  /** Records before it are removed. Followers learn it as they learn the high watermark. */
  logStart: bigint
}

/** A batch at its offset. Replicas share it: equal batches are the same object. */
export interface LoggedBatch {
  readonly view: StoredBatch
  readonly bytes: Uint8Array
  readonly epoch: number
  /** Epoch of the coordinator that wrote a marker. */
  readonly coordinatorEpoch: number | undefined
}

interface Segment {
  readonly start: bigint
  /** Time of its first batch. Records that are later by `segment.ms` begin another segment. */
  readonly time: number
}

export function createReplica(): Replica {
  return { batches: [], epochs: [], segments: [], cleaned: new Map(), highWatermark: 0n, logStart: 0n }
}

export function endOf({ batches }: Replica): bigint {
  return batches.length === 0 ? 0n : batches[batches.length - 1]!.view.nextOffset
}

/** A copy of a batch with the offset and the leader epoch that a leader gives it. */
export function place(
  bytes: Uint8Array,
  { baseOffset, epoch, coordinatorEpoch }: { baseOffset: bigint; epoch: number; coordinatorEpoch?: number },
): LoggedBatch {
  const copy = bytes.slice()
  const header = new DataView(copy.buffer, copy.byteOffset)
  header.setBigInt64(batchLayout.baseOffset, baseOffset)
  header.setInt32(batchLayout.leaderEpoch, epoch)
  return { view: viewBatch(copy, { topic: '', partition: 0 }), bytes: copy, epoch, coordinatorEpoch }
}

/** @param segmentMs - `segment.ms` of the topic. */
export function store(replica: Replica, batches: readonly LoggedBatch[], segmentMs: number): void {
  const { segments } = replica
  for (const batch of batches) {
    const { baseOffset: start, maxTime: time } = batch.view
    beginEpoch(replica, batch.epoch, start)
    if (segments.length === 0 || time - segments.at(-1)!.time > segmentMs) segments.push({ start, time })
    replica.batches.push(batch)
  }
}

/** Records the start of a leader epoch, unless it has begun already. */
export function beginEpoch({ epochs }: Replica, epoch: number, start: bigint): void {
  if ((epochs.at(-1)?.epoch ?? -1) < epoch) epochs.push({ epoch, start })
}

/** Drops the batches that the leader does not have (KIP-101). */
export function truncateToCommon(follower: Replica, leader: Replica): void {
  const { batches, epochs, segments } = follower
  let common = 0
  while (common < batches.length && batches[common] === leader.batches[common]) common++
  batches.length = common
  const end = endOf(follower)
  while (epochs.length > 0 && epochs.at(-1)!.start >= end) epochs.pop()
  while (segments.length > 0 && segments.at(-1)!.start >= end) segments.pop()
  if (follower.highWatermark > end) follower.highWatermark = end
}

/** Removes the records before an offset. */
export function moveLogStart(replica: Replica, to: bigint): void {
  if (to <= replica.logStart) return
  replica.logStart = to
  const { epochs } = replica
  const begun = epochs.findLastIndex(({ start }) => start <= to)
  if (begun >= 0) epochs.splice(0, begun + 1, { epoch: epochs[begun]!.epoch, start: to })
}

/** The newest epoch up to `asked`, and its end offset. Undefined: `asked` is not known yet. */
export function endOfEpoch(replica: Replica, asked: number): { epoch: number; end: bigint } | undefined {
  const { epochs } = replica
  if (epochs.at(-1)?.epoch === asked) return { epoch: asked, end: endOf(replica) }
  const next = epochs.find(({ epoch }) => epoch > asked)
  if (!next) return undefined
  const newest = epochs.findLast(({ epoch }) => epoch <= asked)
  return { epoch: newest?.epoch ?? asked, end: next.start }
}

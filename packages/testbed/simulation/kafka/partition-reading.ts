import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { StoredBatch } from '../../../queue/src/record-batch/stored-batch.ts'
import { type AbortedRange, lastStableOffset, type PartitionState } from './producer-state.ts'
import { endOf, endOfEpoch, type LoggedBatch, type Replica } from './replica.ts'

export interface ReadPosition {
  readonly offset: bigint
  /** The leader epoch known to the reader. −1: any. */
  readonly epoch: number
  /** Leader epoch of the batch before the offset. −1: not known. */
  readonly lastEpoch: number
  readonly maxBytes: number
}

export interface FetchView {
  readonly code: number
  readonly highWatermark: bigint
  readonly lastStable: bigint
  readonly aborted: readonly AbortedRange[]
  readonly diverges: boolean
  readonly batches: readonly LoggedBatch[]
}

/** The answer of a broker to a reader of committed records, from its own replica. */
export function readReplica(replica: Replica, state: PartitionState, position: ReadPosition): FetchView {
  const { offset, lastEpoch, maxBytes } = position
  const { highWatermark, logStart } = replica
  const end = endOf(replica)
  const lastStable = stableEnd(replica, state)
  const nothing = { code: codes.NONE, highWatermark, lastStable, aborted: [], diverges: false, batches: [] }
  if (lastEpoch >= 0) {
    const known = endOfEpoch(replica, lastEpoch)
    if (!known || offset < logStart) return refused(codes.OFFSET_OUT_OF_RANGE)
    if (known.epoch < lastEpoch || known.end < offset) return { ...nothing, diverges: true }
  }
  if (offset < logStart || offset > end) return refused(codes.OFFSET_OUT_OF_RANGE)
  if (offset >= lastStable) return nothing
  const batches: LoggedBatch[] = []
  let size = 0
  let segmentEnd = end
  for (const batch of replica.batches) {
    const { baseOffset, lastOffset } = batch.view
    if (lastOffset < offset) continue
    if (baseOffset >= lastStable || baseOffset >= segmentEnd) break
    const stored = replica.cleaned.has(batch) ? replica.cleaned.get(batch) : batch
    if (!stored) continue
    size += stored.bytes.length
    if (batches.length > 0 && size > maxBytes) break
    if (batches.length === 0) segmentEnd = replica.segments.find(({ start }) => start > baseOffset)?.start ?? end
    batches.push(stored)
  }
  // The offset index is sparse, so a broker also returns ranges that begin after the batches.
  const aborted = state.aborted.filter(
    ({ firstOffset, lastOffset }) => lastOffset >= offset && firstOffset < segmentEnd,
  )
  return { ...nothing, aborted, batches }
}

export function refused(code: number): FetchView {
  return { code, highWatermark: -1n, lastStable: -1n, aborted: [], diverges: false, batches: [] }
}

/**
 * The end of the stable records. If the first open transaction begins before the log start, this is the base offset of
 * the batch at the log start, which may be before it.
 */
export function stableEnd({ batches, highWatermark, logStart }: Replica, state: PartitionState): bigint {
  const stable = lastStableOffset(state, highWatermark)
  if (stable >= logStart) return stable
  return batches.find(({ view }) => view.lastOffset >= logStart)?.view.baseOffset ?? logStart
}

/** The batches in a range of stable offsets, without those of aborted transactions. */
export function committedBatches(
  { batches }: Replica,
  { aborted }: PartitionState,
  from: bigint,
  end: bigint,
): LoggedBatch[] {
  const inRange = batches.filter(({ view }) => view.baseOffset >= from && view.baseOffset < end && !view.control)
  return inRange.filter(({ view }) => !isAborted(view, aborted))
}

/** Whether a batch belongs to a transaction that was aborted. */
export function isAborted(
  { producerId, baseOffset }: Pick<StoredBatch, 'producerId' | 'baseOffset'>,
  aborted: readonly AbortedRange[],
): boolean {
  return aborted.some(
    (range) => range.producerId === producerId && range.firstOffset <= baseOffset && range.lastOffset > baseOffset,
  )
}

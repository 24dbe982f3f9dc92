import type { LoggedBatch, Replica } from './replica.ts'

/** The state of a producer id, which the leader derives from the log (KIP-98). */
export interface ProducerState {
  epoch: number
  coordinatorEpoch: number
  /** The newest five batches of the epoch. */
  batches: { readonly first: number; readonly last: number; readonly baseOffset: bigint }[]
  /** Offset of the first record of its open transaction. */
  openFrom: bigint | undefined
}

export interface AbortedRange {
  readonly producerId: bigint
  readonly firstOffset: bigint
  /** Offset of the marker. */
  readonly lastOffset: bigint
}

/**
 * The state of a producer while the leader asks the coordinator about its transaction. A marker before the first batch
 * invalidates the answer (KIP-890, part 1).
 */
export interface Verification {
  epoch: number
  /** The lowest sequence number of the requests so far. A batch with a higher one is not appended first. */
  lowest: number
  /** Whether the leader itself adds the partition to the transaction (KIP-890, part 2). */
  readonly adds: boolean
}

/** The state of producers and transactions that follows from the batches of a partition. */
export interface PartitionState {
  readonly producers: Map<bigint, ProducerState>
  readonly aborted: AbortedRange[]
  /** By producer id. */
  readonly verifying: Map<bigint, Verification>
  /** Ended transactions with the offset of the marker. They are stable when the marker is replicated. */
  readonly ended: { readonly firstOffset: bigint; readonly markerOffset: bigint }[]
}

export function stateOf(replica: Replica): PartitionState {
  const state: PartitionState = { producers: new Map(), aborted: [], verifying: new Map(), ended: [] }
  for (const batch of replica.batches) apply(state, batch)
  return state
}

export function apply(state: PartitionState, { view, coordinatorEpoch }: LoggedBatch): void {
  const { producerId, producerEpoch: epoch, baseOffset, lastOffset, baseSequence: first } = view
  if (producerId < 0n) return
  const known = state.producers.get(producerId)
  const producer: ProducerState = known ?? { epoch, coordinatorEpoch: -1, batches: [], openFrom: undefined }
  state.producers.set(producerId, producer)
  if (epoch !== producer.epoch) producer.batches = []
  if (view.transactional) state.verifying.delete(producerId)
  producer.epoch = epoch
  if (view.control) {
    producer.coordinatorEpoch = coordinatorEpoch ?? -1
    if (producer.openFrom === undefined) return
    const firstOffset = producer.openFrom
    state.ended.push({ firstOffset, markerOffset: baseOffset })
    if (view.controlType() === 'abort') state.aborted.push({ producerId, firstOffset, lastOffset: baseOffset })
    producer.openFrom = undefined
    return
  }
  const last = first + Number(lastOffset - baseOffset)
  producer.batches = [...producer.batches.slice(-4), { first, last, baseOffset }]
  if (view.transactional) producer.openFrom ??= baseOffset
}

/** The first offset of a transaction that is open or whose marker is not replicated yet, else the high watermark. */
export function lastStableOffset(state: PartitionState, highWatermark: bigint): bigint {
  let stable = highWatermark
  for (const { openFrom } of state.producers.values())
    if (openFrom !== undefined && openFrom < stable) stable = openFrom
  for (const { firstOffset, markerOffset } of state.ended)
    if (markerOffset >= highWatermark && firstOffset < stable) stable = firstOffset
  return stable
}

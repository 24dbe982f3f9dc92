import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { StoredBatch } from '../../../queue/src/record-batch/stored-batch.ts'
import type { PartitionState } from './producer-state.ts'

/**
 * The state of a producer while the leader asks the coordinator about its transaction. A marker before the first batch
 * invalidates the answer (KIP-890, part 1).
 */
export interface Verification {
  epoch: number
  /** The lowest sequence number of a request: no higher one is appended before it. */
  lowest: number
  /** Whether the leader itself adds the partition (KIP-890, part 2). */
  readonly adds: boolean
}

/** Begins to verify a batch. Undefined: its transaction is already open here. */
export function beginVerification(
  { producers, verifying }: PartitionState,
  { producerId, producerEpoch: epoch, baseSequence }: StoredBatch,
  adds: boolean,
): Verification | number | undefined {
  const known = producers.get(producerId)
  if (known && epoch < known.epoch) return codes.INVALID_PRODUCER_EPOCH
  if (known?.openFrom !== undefined && known.epoch === epoch) return undefined
  const begun = verifying.get(producerId)
  if (!begun) {
    const verification = { epoch, lowest: baseSequence, adds }
    verifying.set(producerId, verification)
    return verification
  }
  if (epoch > begun.epoch || (epoch === begun.epoch && baseSequence < begun.lowest)) begun.lowest = baseSequence
  begun.epoch = Math.max(begun.epoch, epoch)
  return begun
}

/** The reason why a batch may not be appended after its verification. */
export function checkVerification(
  { producers, verifying }: PartitionState,
  { producerId, producerEpoch, baseSequence, transactional }: StoredBatch,
  verified: Verification | undefined,
): number {
  const known = producers.get(producerId)
  const open = known?.openFrom !== undefined && known.epoch === producerEpoch
  const pending = verifying.get(producerId)
  if (transactional && !open && (!pending || pending !== verified)) return codes.INVALID_TXN_STATE
  if (!pending) return codes.NONE
  const unknown = pending.adds && baseSequence !== 0 && (known?.batches.length ?? 0) === 0
  return unknown || baseSequence > pending.lowest ? codes.OUT_OF_ORDER_SEQUENCE_NUMBER : codes.NONE
}

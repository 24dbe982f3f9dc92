import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { StoredBatch } from '../../../queue/src/record-batch/stored-batch.ts'
import type { PartitionState } from './producer-state.ts'

/**
 * What a leader notes of a producer while it asks the coordinator about its transaction: a marker that comes before the
 * first batch is appended makes the answer void (KIP-890, part 1).
 */
export interface Verification {
  epoch: number
  /** The lowest sequence number that was asked for: none above it is appended before. */
  lowest: number
  /** Whether the leader adds the partition itself (part 2). */
  readonly adds: boolean
}

/** Begins to verify a batch. `undefined`: its transaction is open here already. */
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

/** Why a batch may not be appended after it was verified. */
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

import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { StoredBatch } from '../../../queue/src/record-batch/stored-batch.ts'
import type { PartitionState, Verification } from './producer-state.ts'

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

/** Whether a batch is the next one of its producer or a duplicate. Otherwise the error code. */
export function checkProducer(
  state: PartitionState,
  batch: StoredBatch,
  verified: Verification | undefined,
): 'next' | 'duplicate' | number {
  const { producerId, producerEpoch: epoch, baseSequence: first, baseOffset, lastOffset } = batch
  const known = state.producers.get(producerId)
  const last = first + Number(lastOffset - baseOffset)
  const isThere = known?.batches.some((one) => one.first === first && one.last === last)
  if (isThere && epoch === known?.epoch) return 'duplicate'
  if (known && epoch < known.epoch) return codes.INVALID_PRODUCER_EPOCH
  const refusal = checkVerification(state, batch, verified)
  if (refusal !== codes.NONE) return refusal
  // An unknown producer, whose batches may have been removed, may begin with any sequence number.
  if (!known) return 'next'
  const newest = epoch === known.epoch ? known.batches.at(-1) : undefined
  return first === (newest ? newest.last + 1 : 0) ? 'next' : codes.OUT_OF_ORDER_SEQUENCE_NUMBER
}

/** The reason why a batch may not be appended after its verification. */
function checkVerification(
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

import type { Compression } from '../../record-batch/compression.ts'
import type { BatchEncoder } from '../../record-batch/encode.ts'
import type { KafkaSettings } from '../connection/kafka-settings.ts'
import type { ProducedBatch } from '../connection/produce-request.ts'
import type { ProducerSession } from './producer-session.ts'

/** A batch that takes no more records, on its way to the leader of its partition. */
export interface OutgoingBatch {
  readonly topic: string
  readonly partition: number
  /** Holds the records. Free for others when the batch is written to the socket. */
  readonly encoder: BatchEncoder
  /** Bytes of it in memory. */
  readonly size: number
  readonly compression: Compression
  /** Resolves when it is compressed; `undefined` where it is sent as it is. */
  readonly compressed: Promise<void> | undefined
}

export interface BatchDestination {
  readonly topic: string
  readonly partition: number
  readonly compacted: boolean
}

/** Takes a batch out of the hands of whoever filled it, and begins to compress it on another thread. */
export function closeBatch(
  encoder: BatchEncoder,
  { topic, partition, compacted }: BatchDestination,
  settings: KafkaSettings,
): OutgoingBatch {
  const size = encoder.byteLength
  // Small batches gain nothing, and compacted topics are read and rewritten record by record.
  const compression = compacted || size < smallestCompressedBytes ? 'none' : settings.compression
  const compressed = compression === 'none' ? undefined : encoder.compress(compression)
  // It is awaited when its turn has come, which after a failure is never.
  compressed?.catch(() => {})
  return { topic, partition, encoder, size, compression, compressed }
}

const smallestCompressedBytes = 4 * 1024

/**
 * Numbers a batch as its session's next one for the partition and gives its bytes. Only right before it is sent: a number
 * that is never sent would leave a gap, at which the leader refuses all that follows (45).
 */
export function numberBatch(
  { topic, partition, encoder, compression }: OutgoingBatch,
  { session, transactional }: { session: ProducerSession; transactional: boolean },
): ProducedBatch {
  const baseSequence = session.sequences.take(topic, partition, encoder.count)
  const { producerId, epoch: producerEpoch } = session
  const bytes = encoder.finish({ producerId, producerEpoch, baseSequence, transactional, compression })
  return { topic, partition, bytes }
}

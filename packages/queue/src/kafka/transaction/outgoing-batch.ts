import { RecordTooLargeError } from '../../errors.ts'
import type { NewRecord, TopicPartition } from '../../queue.ts'
import { type Compression, leastCompressedBytes } from '../../record-batch/compression.ts'
import { BatchEncoder, encodedRecordSize } from '../../record-batch/encode.ts'
import { batchLayout } from '../../record-batch/layout.ts'
import type { KnownTopic } from '../admin/topic-directory.ts'
import type { KafkaSettings } from '../connection/kafka-settings.ts'
import type { ProducedBatch } from '../connection/produce-request.ts'
import type { ProducerSession } from './producer-session.ts'

export interface OutgoingBatch extends TopicPartition {
  /** Free when the batch is encoded into a request. */
  readonly encoder: BatchEncoder
  readonly size: number
  readonly compression: Compression
  readonly compressed: Promise<void> | undefined
}

export function checkSize(record: NewRecord, maxBatchBytes: number): void {
  const alone = batchLayout.records + encodedRecordSize(record)
  if (alone > maxBatchBytes) throw new RecordTooLargeError(record.topic, alone, maxBatchBytes)
}

/** `chosen` is the compression that the writer names for the topic. */
export function closeBatch(
  encoder: BatchEncoder,
  topic: TopicPartition & Pick<KnownTopic, 'compacted' | 'compression'>,
  settings: KafkaSettings,
  chosen?: Compression,
): OutgoingBatch {
  const size = encoder.byteLength
  // Compacted topics are read and rewritten by record.
  const isCompressed = !topic.compacted && size >= leastCompressedBytes
  // A broker with a compression of its own would compress any other batch again.
  const compression = isCompressed ? (topic.compression ?? chosen ?? settings.compression) : 'none'
  const compressed = compression === 'none' ? undefined : encoder.compress(compression, settings)
  // Nobody awaits it if an earlier batch fails.
  compressed?.catch(() => {})
  return { topic: topic.topic, partition: topic.partition, encoder, size, compression, compressed }
}

/** Call right before sending: after a sequence number that was not sent, the leader refuses all batches (45). */
export function numberBatch(
  { topic, partition, encoder, compression }: OutgoingBatch,
  { session, transactional }: { session: ProducerSession; transactional: boolean },
): ProducedBatch {
  const baseSequence = session.takeSequences(topic, partition, encoder.count)
  const { producerId, epoch: producerEpoch } = session
  const bytes = encoder.finish({ producerId, producerEpoch, baseSequence, transactional, compression })
  return { topic, partition, bytes }
}

export interface EncoderPool {
  take(): BatchEncoder
  release(encoder: BatchEncoder): void
}

export function createEncoderPool(): EncoderPool {
  const free: BatchEncoder[] = []
  return {
    take: () => free.pop() ?? new BatchEncoder(),
    release(encoder) {
      encoder.reset()
      if (free.length < maxFree) free.push(encoder)
    },
  }
}

const maxFree = 16

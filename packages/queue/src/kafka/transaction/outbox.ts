import type { NewRecord } from '../../queue.ts'
import type { BatchEncoder } from '../../record-batch/encode.ts'
import type { TopicDirectory } from '../admin/topic-directory.ts'
import type { Cluster } from '../connection/cluster.ts'
import { compressionFor } from './batch-compression.ts'
import { checkSize, fullBatchBytes, knownTopic } from './batch-limits.ts'
import type { EncoderPool } from './encoder-pool.ts'
import { createProduceLine, type OutgoingBatch } from './produce-line.ts'
import type { ProducerSession } from './producer-session.ts'

/** The records of one transaction on their way to the leaders of their partitions. */
export interface Outbox {
  /** Whether no record was added. */
  readonly empty: boolean
  /** Whether a batch has left, answered or not: then the transaction exists in the broker. */
  readonly sent: boolean
  /** Encodes a record. A batch leaves when it is full. Throws `RecordTooLargeError` or `UnknownTopicError`. */
  add(record: NewRecord): void
  /** Sends the rest and resolves when every batch is acknowledged. Throws the first failure. */
  flush(): Promise<void>
  /** Drops what has not left and resolves when nothing is on its way. */
  discard(): Promise<void>
}

export interface OutboxOptions {
  readonly cluster: Cluster
  readonly directory: TopicDirectory
  readonly transactionalId: string
  readonly session: ProducerSession
  readonly lane: string
  readonly encoders: EncoderPool
}

interface PartitionBatch {
  readonly topic: string
  readonly partition: number
  /** Bytes of the largest batch that the topic takes. */
  readonly maxBytes: number
  readonly compacted: boolean
  encoder: BatchEncoder
  sequence: number
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { cluster, directory, session, encoders } = options
  const line = createProduceLine(options)
  const topics = new Map<string, (PartitionBatch | undefined)[]>()
  let empty = true

  function batchOf(topic: string, partition: number): PartitionBatch {
    const existing = topics.get(topic)?.[partition]
    if (existing) return existing
    const { maxBatchBytes: maxBytes, compacted } = knownTopic(directory, topic, partition)
    const encoder = encoders.take()
    // Sequences restart at 0 with each epoch.
    const batch: PartitionBatch = { topic, partition, maxBytes, compacted, encoder, sequence: 0 }
    const ofTopic = topics.get(topic) ?? []
    ofTopic[partition] = batch
    topics.set(topic, ofTopic)
    return batch
  }

  function leave(batches: readonly PartitionBatch[]): void {
    const outgoing = batches.map((batch): OutgoingBatch => {
      const { topic, partition, encoder, sequence } = batch
      const compression = compressionFor(encoder, { compacted: batch.compacted, settings: cluster.settings })
      const bytes = encoder.finish({
        producerId: session.producerId,
        producerEpoch: session.epoch,
        baseSequence: sequence,
        transactional: true,
        compression,
      })
      batch.sequence += encoder.count
      batch.encoder = encoders.take()
      return { topic, partition, bytes, encoder }
    })
    line.push(outgoing)
  }

  function partitions(): PartitionBatch[] {
    return [...topics.values()].flatMap((ofTopic) => ofTopic.filter((batch) => batch !== undefined))
  }

  function release(): void {
    for (const { encoder } of partitions()) encoders.give(encoder)
    topics.clear()
  }

  return {
    get empty() {
      return empty
    },
    get sent() {
      return line.sent
    },
    add(record) {
      const batch = batchOf(record.topic, record.partition ?? 0)
      if (!batch.encoder.tryAppend(record, Math.min(batch.maxBytes, fullBatchBytes))) {
        checkSize(record, batch.maxBytes)
        if (batch.encoder.count > 0) leave([batch])
        batch.encoder.append(record)
      }
      empty = false
    },
    async flush() {
      // One Produce carries at most one batch of a partition.
      const rest = partitions().filter(({ encoder }) => encoder.count > 0)
      if (rest.length > 0) leave(rest)
      release()
      await line.settled()
      if (line.failure !== undefined) throw line.failure
    },
    async discard() {
      release()
      await line.settled()
    },
  }
}

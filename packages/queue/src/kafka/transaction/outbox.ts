import { UnknownTopicError } from '../../errors.ts'
import type { NewRecord } from '../../queue.ts'
import type { BatchEncoder } from '../../record-batch/encode.ts'
import type { KnownTopic, TopicDirectory } from '../admin/topic-directory.ts'
import { fullBatchBytes } from '../connection/kafka-settings.ts'
import { checkSize, closeBatch } from './outgoing-batch.ts'
import { createProducePipeline, type ProducePipelineOptions } from './produce-pipeline.ts'

export interface Outbox {
  readonly empty: boolean
  readonly begun: boolean
  readonly failed: boolean
  add(record: NewRecord): void
  drained(): Promise<void>
  /** Sends all records and waits until they are acknowledged. Throws the first error. */
  flush(): Promise<void>
  discard(): Promise<void>
}

export interface OutboxOptions extends ProducePipelineOptions {
  readonly directory: TopicDirectory
}

interface PartitionBatch {
  readonly topic: string
  readonly partition: number
  readonly maxBytes: number
  readonly compacted: boolean
  encoder: BatchEncoder
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { cluster, directory, encoders } = options
  const pipeline = createProducePipeline(options)
  const topics = new Map<string, (PartitionBatch | undefined)[]>()
  let empty = true

  function batchOf(topic: string, partition: number): PartitionBatch {
    const existing = topics.get(topic)?.[partition]
    if (existing) return existing
    const { maxBatchBytes: maxBytes, compacted } = knownOrNew(directory, topic, partition)
    const batch: PartitionBatch = { topic, partition, maxBytes, compacted, encoder: encoders.take() }
    const ofTopic = topics.get(topic) ?? []
    ofTopic[partition] = batch
    topics.set(topic, ofTopic)
    return batch
  }

  function sendOut(batches: readonly PartitionBatch[]): void {
    const outgoing = batches.map((batch) => {
      const full = batch.encoder
      batch.encoder = encoders.take()
      return closeBatch(full, batch, cluster.settings)
    })
    pipeline.push(outgoing)
  }

  function partitions(): PartitionBatch[] {
    return [...topics.values()].flatMap((ofTopic) => ofTopic.filter((batch) => batch !== undefined))
  }

  function releaseEncoders(): void {
    for (const { encoder } of partitions()) encoders.release(encoder)
    topics.clear()
  }

  return {
    get empty() {
      return empty
    },
    get begun() {
      return pipeline.begun
    },
    get failed() {
      return pipeline.failure !== undefined
    },
    add(record) {
      const batch = batchOf(record.topic, record.partition ?? 0)
      if (!batch.encoder.tryAppend(record, Math.min(batch.maxBytes, fullBatchBytes))) {
        checkSize(record, batch.maxBytes)
        if (batch.encoder.count > 0) sendOut([batch])
        batch.encoder.append(record)
      }
      empty = false
    },
    drained: pipeline.drained,
    async flush() {
      const remaining = partitions().filter(({ encoder }) => encoder.count > 0)
      if (remaining.length > 0) sendOut(remaining)
      releaseEncoders()
      await pipeline.settled()
      if (pipeline.failure !== undefined) throw pipeline.failure
    },
    async discard() {
      releaseEncoders()
      await pipeline.settled()
    },
  }
}

/** An unknown topic may be new: it is loaded for later records. If it does not exist, looking up its leader fails. */
function knownOrNew(directory: TopicDirectory, topic: string, partition: number): KnownTopic {
  if (!Number.isInteger(partition) || partition < 0) throw new UnknownTopicError(topic, partition)
  const known = directory.get(topic)
  if (known && partition < known.partitions) return known
  directory.load([topic]).catch(() => {})
  return { partitions: Number.POSITIVE_INFINITY, maxBatchBytes: Number.POSITIVE_INFINITY, compacted: false }
}

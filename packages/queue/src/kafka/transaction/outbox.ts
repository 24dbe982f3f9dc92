import { UnknownTopicError } from '../../errors.ts'
import type { NewRecord, TopicPartition } from '../../queue.ts'
import type { Compression } from '../../record-batch/compression.ts'
import type { BatchEncoder } from '../../record-batch/encode.ts'
import type { KnownTopic, TopicDirectory } from '../admin/topic-directory.ts'
import { fullBatchBytes } from '../connection/kafka-settings.ts'
import { checkSize, closeBatch } from './outgoing-batch.ts'
import { createProducePipeline, type ProducePipeline, type ProducePipelineOptions } from './produce-pipeline.ts'

export interface Outbox {
  /** No record was added. */
  readonly empty: boolean
  readonly pipeline: ProducePipeline
  add(record: NewRecord): void
  /** Sends all records and waits until they are acknowledged. Throws the first error. */
  flush(): Promise<void>
  discard(): Promise<void>
}

export interface OutboxOptions extends ProducePipelineOptions {
  readonly directory: TopicDirectory
  readonly compression: ReadonlyMap<string, Compression>
}

interface PartitionBatch extends TopicPartition, KnownTopic {
  encoder: BatchEncoder
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { cluster, directory, encoders, compression } = options
  const pipeline = createProducePipeline(options)
  const topics = new Map<string, (PartitionBatch | undefined)[]>()

  const outbox = {
    empty: true,
    pipeline,
    add(record: NewRecord): void {
      const batch = batchOf(record.topic, record.partition ?? 0)
      if (!batch.encoder.tryAppend(record, Math.min(batch.maxBatchBytes, fullBatchBytes))) {
        checkSize(record, batch.maxBatchBytes)
        if (batch.encoder.count > 0) sendOut([batch])
        batch.encoder.append(record)
      }
      outbox.empty = false
    },
    async flush(): Promise<void> {
      const remaining = partitions().filter(({ encoder }) => encoder.count > 0)
      if (remaining.length > 0) sendOut(remaining)
      await settle()
      if (pipeline.failure !== undefined) throw pipeline.failure
    },
    discard: settle,
  }
  return outbox

  function batchOf(topic: string, partition: number): PartitionBatch {
    const existing = topics.get(topic)?.[partition]
    if (existing) return existing
    const batch = { ...knownOrNew(directory, topic, partition), topic, partition, encoder: encoders.take() }
    const ofTopic = topics.get(topic) ?? []
    ofTopic[partition] = batch
    topics.set(topic, ofTopic)
    return batch
  }

  function sendOut(batches: readonly PartitionBatch[]): void {
    const outgoing = batches.map((batch) => {
      const full = batch.encoder
      batch.encoder = encoders.take()
      return closeBatch(full, batch, cluster.settings, compression.get(batch.topic))
    })
    pipeline.push(outgoing)
  }

  async function settle(): Promise<void> {
    for (const { encoder } of partitions()) encoders.release(encoder)
    topics.clear()
    await pipeline.settled()
  }

  function partitions(): PartitionBatch[] {
    return [...topics.values()].flatMap((ofTopic) => ofTopic.filter((batch) => batch !== undefined))
  }
}

/** An unknown topic may be new: it is loaded for later records. If it does not exist, looking up its leader fails. */
function knownOrNew(directory: TopicDirectory, topic: string, partition: number): KnownTopic {
  if (!Number.isInteger(partition) || partition < 0) throw new UnknownTopicError(topic, partition)
  const known = directory.get(topic)
  if (known && partition < known.partitions) return known
  directory.load([topic]).catch(() => {})
  return {
    partitions: Number.POSITIVE_INFINITY,
    maxBatchBytes: Number.POSITIVE_INFINITY,
    compacted: false,
    compression: undefined,
  }
}

import { UnknownTopicError } from '../../errors.ts'
import type { NewRecord, Queue, TopicPartition } from '../../queue.ts'
import { BatchEncoder } from '../../record-batch/encode.ts'
import type { KnownTopic, TopicDirectory } from '../admin/topic-directory.ts'
import { brokerErrorCodes, checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { fullBatchBytes } from '../connection/kafka-settings.ts'
import { produceV9 } from '../connection/produce-request.ts'
import { checkSize, closeBatch, numberBatch } from './outgoing-batch.ts'
import { openIdempotentSession, type ProducerSession } from './producer-session.ts'

interface PartitionBatches extends TopicPartition, KnownTopic {
  readonly encoders: BatchEncoder[]
}

/** Appends with an idempotent producer: a retried batch has the same sequence number, so it is stored once (KIP-98). */
export function createAppender(cluster: Cluster, directory: TopicDirectory): Queue['append'] {
  let tail: Promise<unknown> = Promise.resolve()
  let session: ProducerSession | undefined

  async function appendNow(records: readonly NewRecord[]): Promise<void> {
    const partitions = await encodeByPartition(directory, records)
    session ??= await openIdempotentSession(cluster)
    const opened = session
    const outcomes = await Promise.allSettled(partitions.map((batches) => sendInOrder(cluster, batches, opened)))
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (!failed) return
    // The last batch may or may not be stored, so its sequence number can be neither reused nor skipped.
    session = undefined
    throw failed.reason
  }

  return (records) => {
    const appended = tail.then(() => appendNow(records))
    tail = appended.catch(() => {})
    return appended
  }
}

async function encodeByPartition(
  directory: TopicDirectory,
  records: readonly NewRecord[],
): Promise<PartitionBatches[]> {
  const unknown = records.filter(({ topic, partition = 0 }) => partition >= (directory.get(topic)?.partitions ?? 0))
  if (unknown.length > 0) await directory.load([...new Set(unknown.map(({ topic }) => topic))])
  const partitions = new Map<string, PartitionBatches>()
  for (const record of records) {
    const { topic, partition = 0 } = record
    const known = knownTopic(directory, topic, partition)
    const key = `${topic}/${partition}`
    const batches = partitions.get(key) ?? { ...known, topic, partition, encoders: [] }
    partitions.set(key, batches)
    if (batches.encoders.at(-1)?.tryAppend(record, Math.min(known.maxBatchBytes, fullBatchBytes))) continue
    checkSize(record, known.maxBatchBytes)
    const encoder = new BatchEncoder()
    encoder.append(record)
    batches.encoders.push(encoder)
  }
  return [...partitions.values()]
}

function knownTopic(directory: TopicDirectory, topic: string, partition: number): KnownTopic {
  const known = directory.get(topic)
  if (!known || !Number.isInteger(partition) || partition < 0 || partition >= known.partitions)
    throw new UnknownTopicError(topic, known && partition)
  return known
}

async function sendInOrder(cluster: Cluster, batches: PartitionBatches, session: ProducerSession): Promise<void> {
  const { topic, partition, encoders } = batches
  const what = `appending to "${topic}"`
  const timeoutMs = cluster.settings.requestTimeoutMs
  for (const encoder of encoders) {
    const closed = closeBatch(encoder, batches, cluster.settings)
    await closed.compressed
    const batch = numberBatch(closed, { session, transactional: false })
    await cluster.onLeader(what, batches, async (leader) => {
      const connection = await leader.connect('append')
      const answer = await connection.request(produceV9, { transactionalId: null, timeoutMs, batches: [batch] })
      for (const { errorCode, errorMessage } of answer.partitions) {
        if (errorCode === brokerErrorCodes.DUPLICATE_SEQUENCE_NUMBER) continue
        checkAnswer(errorCode, `${what} partition ${partition}`, { request: 'Produce', topic }, errorMessage)
      }
    })
  }
}

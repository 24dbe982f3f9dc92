import { randomUUID } from 'node:crypto'
import type { NewRecord, PartitionBounds, Queue, TopicDescription, Writer } from '../../src/queue.ts'
import type { QueueRecord, RecordBatch } from '../../src/record-batch/record-batch.ts'

/** A name for a topic, a writer or a claim. */
export function uniqueName(): string {
  return `conformance.${randomUUID()}`
}

/** A record with a text as its value. */
export function textRecord(topic: string, text: string, more: Partial<NewRecord> = {}): NewRecord {
  return { topic, key: null, value: Buffer.from(text), time: 1_600_000_000_000, ...more }
}

export function textOf({ value }: Pick<QueueRecord, 'value'>): string | null {
  return value && Buffer.from(value).toString()
}

export function textsOf(batches: readonly RecordBatch[]): (string | null)[] {
  return batches.flatMap((batch) => Array.from(batch.records(), textOf))
}

/** The texts from `0` up to `count` − 1. */
export function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index}`)
}

/** Commits texts to a topic in one transaction. */
export async function commitTexts(
  writer: Writer,
  topic: string,
  texts: readonly string[],
  more: Partial<NewRecord> = {},
): Promise<void> {
  const transaction = writer.begin()
  for (const text of texts) transaction.send(textRecord(topic, text, more))
  await transaction.commit()
}

export async function describeOne(queue: Queue, topic: string): Promise<TopicDescription> {
  const [description] = await queue.describe([topic])
  if (description === undefined) throw new Error(`The topic ${topic} is not there.`)
  return description
}

export async function boundsOf(queue: Queue, topic: string, partition = 0): Promise<PartitionBounds> {
  const bounds = (await describeOne(queue, topic)).partitions[partition]
  if (bounds === undefined) throw new Error(`The topic ${topic} has no partition ${partition}.`)
  return bounds
}

/** Reads all visible records of a partition, page by page. */
export async function readAll(
  queue: Queue,
  topic: string,
  partition = 0,
  maxBytes: number = 1 << 20,
): Promise<QueueRecord[]> {
  const { earliest, end } = await boundsOf(queue, topic, partition)
  const records: QueueRecord[] = []
  for (let offset = earliest; offset < end; ) {
    const { batches, next } = await queue.read({ topic, partition, offset }, { maxBytes })
    if (next <= offset) throw new Error(`Reading does not continue from offset ${offset}.`)
    for (const batch of batches) records.push(...batch.records())
    offset = next
  }
  return records
}

export async function readTexts(queue: Queue, topic: string, partition = 0): Promise<(string | null)[]> {
  return (await readAll(queue, topic, partition)).map(textOf)
}

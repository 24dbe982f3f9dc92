import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import type { NewRecord, PartitionBounds, Queue, TopicDescription, TopicSpec, Writer } from '../queue.ts'
import type { QueueRecord } from '../record-batch/record-batch.ts'

/** What an engine hands to the suite. */
export interface QueueHarness {
  /** Opens another `Queue` on the same storage, as another process would. The suite closes it. */
  open(): Promise<Queue>
}

/** The engine under test. */
export interface Subject {
  /** Two queues on one storage, open throughout. */
  readonly queue: Queue
  readonly other: Queue
  /** Creates a topic that nobody else uses and returns its name. */
  createTopic(spec?: Omit<TopicSpec, 'name'>): Promise<string>
  /** Opens the writer of an id that nobody else uses. */
  openWriter(): Promise<Writer>
}

export function createSubject(harness: QueueHarness): Subject {
  const opened: Queue[] = []

  beforeAll(async () => {
    opened.push(await harness.open(), await harness.open())
  })
  afterAll(async () => {
    for (const queue of opened) await queue.close()
  })

  function at(index: number): Queue {
    const queue = opened[index]
    if (queue === undefined) throw new Error('The queue is open only while tests run.')
    return queue
  }

  return {
    get queue() {
      return at(0)
    },
    get other() {
      return at(1)
    },
    async createTopic(spec = {}) {
      const name = uniqueName()
      await at(0).createTopics([{ name, ...spec }])
      return name
    },
    openWriter: () => at(0).openWriter({ id: uniqueName(), claim: uniqueName() }),
  }
}

/** Fits topics, writers and claims. */
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

/** Commits texts to a topic in one transaction. */
export async function commitTexts(writer: Writer, topic: string, texts: readonly string[]): Promise<void> {
  const transaction = writer.begin()
  for (const text of texts) transaction.send(textRecord(topic, text))
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

/** Every visible record of a partition, page by page. */
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
    if (next <= offset) throw new Error(`Reading does not go on from offset ${offset}.`)
    for (const batch of batches) records.push(...batch.records())
    offset = next
  }
  return records
}

export async function readTexts(queue: Queue, topic: string, partition = 0): Promise<(string | null)[]> {
  return (await readAll(queue, topic, partition)).map(textOf)
}

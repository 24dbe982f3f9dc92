import type { NewRecord, Queue, QueueRecord } from '@headrace/queue'

/** The steps of a writer. Its queue may be `compacting` concurrently with any of them. */
export type PublishStep = 'ready' | 'begun' | 'sent' | 'committing' | 'committed' | 'compacting'

/** Default number of partitions of the data topics of a series. */
const defaultPartitions = 1

/**
 * A series of units of one writer, counted from 0, each with records in two topics and a checkpoint. The checkpoint
 * determines the expected records.
 */
export function dataTopics(series: string): [string, string] {
  return [`${series}-left`, `${series}-right`]
}

export async function createUnitTopics(queue: Queue, series: string, partitions = defaultPartitions): Promise<void> {
  await queue.createTopics([
    ...dataTopics(series).map((name) => ({ name, partitions })),
    { name: checkpointTopic(series), cleanup: 'compact' as const },
  ])
}

/** The records of a unit without its checkpoint, some in every partition. */
export function unitRecords(series: string, unit: number, partitions = defaultPartitions): NewRecord[] {
  return dataTopics(series).flatMap((topic) =>
    Array.from({ length: partitions }, (_, partition) =>
      unitValues(unit, partition).map((value) => ({
        topic,
        partition,
        key: null,
        value: Buffer.from(value),
        headers: [{ key: 'padding', value: padding(unit) }],
        time: unit,
      })),
    ).flat(),
  )
}

export function checkpointOf(series: string, unit: number): NewRecord {
  return { topic: checkpointTopic(series), key: checkpointKey, value: Buffer.from(`${unit}`), time: unit }
}

/** The number of the large unit at `index`. Every second unit is so large that batches are sent before its commit. */
export function largeUnit(index: number): number {
  return 2 * index + 1
}

/** The last unit in the queue; −1 without one. */
export async function readCheckpoint(queue: Queue, series: string): Promise<number> {
  const record = await queue.latest(checkpointTopic(series), 0, checkpointKey)
  return record ? Number(Buffer.from(record.value!)) : -1
}

/** The expected values of a partition of a data topic after a unit, in order. */
export function valuesUpTo(unit: number, partition = 0): string[] {
  return Array.from({ length: unit + 1 }, (_, unit) => unitValues(unit, partition)).flat()
}

/** The values of all visible records of a partition. */
export async function readPartition(queue: Queue, topic: string, partition = 0): Promise<string[]> {
  const values: string[] = []
  for (let offset = 0n; ; ) {
    const { batches, next, end } = await queue.read({ topic, partition, offset }, { maxBytes: 1024 * 1024 })
    for (const batch of batches) values.push(...batchValues(batch.records()))
    if (next === end) return values
    offset = next
  }
}

export function batchValues(records: Iterable<QueueRecord>): string[] {
  return Array.from(records, ({ value }) => Buffer.from(value!).toString())
}

function checkpointTopic(series: string): string {
  return `${series}-checkpoints`
}

const checkpointKey = Buffer.from('checkpoint')

function unitValues(unit: number, partition: number): string[] {
  return Array.from({ length: 2 + ((unit + partition) % 3) }, (_, index) => `${unit}/${index}`)
}

function padding(unit: number): Uint8Array {
  return Buffer.alloc(unit % 2 === 1 ? 200_000 : 100, 'x')
}

import type { NewRecord, Queue, QueueRecord } from '@headrace/queue'

/** Where a writer is in its cycle. At any of them its queue may be `compacting` beside it. */
export type PublishStep = 'ready' | 'begun' | 'sent' | 'committing' | 'committed' | 'compacting'

/** How many partitions each data topic of a series has where nobody says. */
const defaultPartitions = 1

/**
 * A series is what one writer publishes: units, counted from 0, each with records in two topics and a checkpoint. What a
 * topic must hold follows from the checkpoint.
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

/** The records of a unit, without its checkpoint: some in every partition. */
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

/** Every second unit is so large that batches of it leave before its commit. Gives their numbers, counted from 0. */
export function largeUnit(index: number): number {
  return 2 * index + 1
}

/** The last unit that is in the queue; −1 where there is none. */
export async function readCheckpoint(queue: Queue, series: string): Promise<number> {
  const record = await queue.latest(checkpointTopic(series), 0, checkpointKey)
  return record ? Number(Buffer.from(record.value!)) : -1
}

/** What a partition of a data topic must hold after a unit, in this order. */
export function valuesUpTo(unit: number, partition = 0): string[] {
  return Array.from({ length: unit + 1 }, (_, unit) => unitValues(unit, partition)).flat()
}

/** The values of every visible record of a partition. */
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

import type { NewRecord, Queue } from '@headrace/queue'
import { checkpointOf, createUnitTopics, dataTopics, unitRecords } from '../units.ts'

/** Several writers publish units to the same topics. The key of a record tells whose it is. */
export const sharedTopics: readonly string[] = dataTopics('shared')
export const sharedCheckpoints = 'shared-checkpoints'
export const sharedPartitions = 2

/** How many units of a writer have a record of their own in the checkpoint topic beside the newest. */
export const ringSize = 16

export async function createSharedTopics(queue: Queue): Promise<void> {
  await createUnitTopics(queue, 'shared', sharedPartitions)
}

/** The records of a unit, with its checkpoint and its place in the ring. */
export function sharedUnit(writer: string, unit: number): NewRecord[] {
  const key = Buffer.from(writer)
  const checkpoint = checkpointOf('shared', unit)
  const padding = [{ key: 'padding', value: Buffer.alloc(500, 'x') }]
  return [
    // Most units are small, so that there are many; the large ones are of several batches in each partition.
    ...unitRecords('shared', unit, sharedPartitions).map((record) =>
      unit % 8 === 1 ? { ...record, key } : { ...record, key, headers: [] },
    ),
    { ...checkpoint, key: ringKey(writer, unit), headers: padding },
    { ...checkpoint, key },
  ]
}

export function ringKey(writer: string, unit: number): Uint8Array {
  return Buffer.from(`${writer} ${unit % ringSize}`)
}

/** What the record with a key in the checkpoint topic says; −1 where there is none. */
export async function unitAt(queue: Queue, key: Uint8Array): Promise<number> {
  const record = await queue.latest(sharedCheckpoints, 0, key)
  return record ? Number(Buffer.from(record.value!)) : -1
}

/** The last unit of a writer that is in the queue; −1 where there is none. */
export function lastUnit(queue: Queue, writer: string): Promise<number> {
  return unitAt(queue, Buffer.from(writer))
}

import type { NewRecord, Queue } from '@headrace/queue'
import { checkpointOf, createUnitTopics, dataTopics, unitRecords } from '../units.ts'

/** Several writers publish units to the same topics. The key of a record names its writer. */
export const sharedTopics: readonly string[] = dataTopics('shared')
export const sharedCheckpoints = 'shared-checkpoints'
export const sharedPartitions = 2

/** Number of units of a writer with a checkpoint of their own, in addition to the newest one. */
export const ringSize = 16

export async function createSharedTopics(queue: Queue): Promise<void> {
  await createUnitTopics(queue, 'shared', sharedPartitions)
}

export function sharedUnit(writer: string, unit: number): NewRecord[] {
  const key = Buffer.from(writer)
  const checkpoint = checkpointOf('shared', unit)
  const padding = [{ key: 'padding', value: Buffer.alloc(500, 'x') }]
  return [
    // Most units are small, so that there are many. The large ones have several batches in each partition.
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

/** The unit in the newest checkpoint of a key; −1 if there is none. */
export async function unitAt(queue: Queue, key: Uint8Array): Promise<number> {
  const record = await queue.latest(sharedCheckpoints, 0, key)
  return record ? Number(Buffer.from(record.value!)) : -1
}

/** The last unit of a writer in the queue; −1 if there is none. */
export function lastUnit(queue: Queue, writer: string): Promise<number> {
  return unitAt(queue, Buffer.from(writer))
}

import { openQueue, type Queue } from '@headrace/queue'
import { checkpointOf, createUnitTopics, dataTopics, readCheckpoint, readPartition, unitRecords } from '../units.ts'
import { publishUnits } from './unit-publisher.ts'

export interface DiskQueueContent {
  /** The last unit by its checkpoint. */
  readonly unit: number
  readonly values: readonly string[][]
  readonly appended: readonly string[]
  readonly earliest: number
  readonly old: readonly string[]
  /** The newest value of the key in the topic that is compacted. */
  readonly newest: string
}

export const oldRecords = 200
export const keyRecords = 40
export const firstUnits = 3

/** Creates a queue with several units, records to delete, and a topic to compact. */
export async function makeDiskQueue(directory: string): Promise<void> {
  const queue = await openQueue(`embedded:${directory}`)
  await createUnitTopics(queue, 'units')
  await queue.createTopics([{ name: 'appended' }, { name: 'old' }, { name: 'keys', cleanup: 'compact' }])
  await publishUnits({ queue, series: 'units', upTo: firstUnits - 1, onStep: async () => {} })
  await queue.append(Array.from({ length: oldRecords }, (_, index) => ({ topic: 'old', ...record(`${index}`, 0) })))
  for (let index = 0; index < keyRecords; index++) {
    await queue.append([{ topic: 'keys', ...record(`${index}`, 500), key: Buffer.from('key') }])
  }
  await queue.close()
}

export function diskUnit(unit: number) {
  return [...unitRecords('units', unit), checkpointOf('units', unit)]
}

export function record(value: string, padding: number) {
  const headers = [{ key: 'padding', value: Buffer.alloc(padding, 'x') }]
  return { key: null, value: Buffer.from(value), headers, time: 0 }
}

export async function readDiskQueue(queue: Queue): Promise<DiskQueueContent> {
  const [old] = await queue.describe(['old'])
  const earliest = Number(old!.partitions[0]!.earliest)
  const newest = await queue.latest('keys', 0, Buffer.from('key'))
  return {
    unit: await readCheckpoint(queue, 'units'),
    values: await Promise.all(dataTopics('units').map((topic) => readPartition(queue, topic))),
    appended: await readPartition(queue, 'appended'),
    earliest,
    old: await readFrom(queue, earliest),
    newest: Buffer.from(newest!.value!).toString(),
  }
}

async function readFrom(queue: Queue, earliest: number): Promise<string[]> {
  const { batches } = await queue.read({ topic: 'old', partition: 0, offset: BigInt(earliest) }, { maxBytes: 1 << 20 })
  return batches.flatMap((batch) => Array.from(batch.records(), ({ value }) => Buffer.from(value!).toString()))
}

import type { Queue, RecordBatch, Transaction } from '../../../queue/src/index.ts'
import type { SeenRecord } from '../oracle/units-oracle.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'

/** The records of the runs: the same number for each unit and partition, and a checkpoint. */
export const topic = 'data'
export const checkpoints = 'checkpoints'
export const partitions = 2
export const recordsPerUnit = 2
export const units = 8

export interface Attempt {
  readonly unit: number
  readonly run: string
  readonly attempt: string
  /** Whether a record fills a batch, so that a batch is sent while another is filled. */
  readonly large: boolean
}

export interface Publishing {
  readonly world: World
  readonly program: Program
  readonly transaction: Transaction
  /** Called before records are sent and before they are committed. */
  onStep(): void
}

export async function publishUnit({ world, program, transaction, onStep }: Publishing, at: Attempt): Promise<void> {
  const { large, ...identity } = at
  onStep()
  for (let partition = 0; partition < partitions; partition++)
    for (let index = 0; index < recordsPerUnit; index++) {
      const filler = Buffer.alloc(large && partition === 0 ? fillsBatch : 0)
      const value = Buffer.concat([Buffer.from(`${JSON.stringify({ ...identity, index })}\n`), filler])
      transaction.send({ topic, partition, key: null, value, time: at.unit })
      if (large) await world.wait(world.random.integer(100), program)
    }
  transaction.send({ topic: checkpoints, key: checkpointKey, value: Buffer.from(`${at.unit}`), time: 1 })
  onStep()
  await transaction.commit()
}

/** Two records of this size do not fit into a batch. */
export const fillsBatch = 140_000

/** The unit published last, −1 for none. */
export async function lastUnit(queue: Queue): Promise<number> {
  const found = await queue.latest(checkpoints, 0, checkpointKey)
  return found ? Number(Buffer.from(found.value!).toString()) : -1
}

const checkpointKey = Buffer.from('checkpoint')

export function recordsOf(batch: Pick<RecordBatch, 'records'>): SeenRecord[] {
  return [...batch.records()].map(({ value }) => {
    const bytes = Buffer.from(value!.buffer, value!.byteOffset, value!.byteLength)
    return JSON.parse(bytes.subarray(0, bytes.indexOf('\n')).toString())
  })
}

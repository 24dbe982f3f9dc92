import { partitionForKey, type Queue } from '@headrace/queue'
import { systemTopics, writerPartitions } from '../system-topics/system-topics.ts'
import { decodeCheckpoint } from './checkpoint-json.ts'

/** Topic → next seq of each of its partitions. */
export type NextSeqs = Readonly<Record<string, readonly number[]>>

/** Where a connector instance stands after a unit. The value of a record in `_headrace.checkpoints`. */
export interface Checkpoint<C = unknown> {
  /** The author's checkpoint: the position in the source. `null` with `fromStart`. */
  readonly position: C
  /** The source begins from its start after this unit, and no unit before it can be reverted to. */
  readonly fromStart?: true
  /** Number of the unit, from 1. */
  readonly unit: number
  /** Number of the standing unit before it; `null` for the first. */
  readonly previous: number | null
  readonly nextSeq: NextSeqs
  /** The newest unit that nothing will take back, with what followed it; `null` before there is one. */
  readonly final: { readonly unit: number; readonly nextSeq: NextSeqs } | null
  /** Topic → time (ms) of the last record of each partition: times never go back, after a restart either. */
  readonly time: Readonly<Record<string, readonly number[]>>
}

/** Units that can be taken back at most, and so places in the ring of a writer's checkpoints. */
export const checkpointRingSize = 8192

/** Key of the record that holds a writer's newest checkpoint. */
export function checkpointKey(writerId: string): Uint8Array {
  return Buffer.from(writerId)
}

/** Key of the record that holds the checkpoint of a unit that can still be taken back. */
export function checkpointRingKey(writerId: string, unit: number): Uint8Array {
  return Buffer.from(`${writerId}/${unit % checkpointRingSize}`)
}

/** The partition of `_headrace.checkpoints` and `_headrace.reorgs` that holds a writer's records. */
export function checkpointPartition(writerId: string): number {
  return partitionForKey(Buffer.from(writerId), writerPartitions)
}

/**
 * Reads a writer's newest checkpoint; `undefined` when it has none.
 *
 * The answer is final, so this may wait for open transactions (`Queue.latest`).
 *
 * @throws {UserError} `invalid_checkpoint`: the record is not of this form.
 */
export async function readCheckpoint(queue: Queue, writerId: string): Promise<Checkpoint | undefined> {
  const record = await queue.latest(systemTopics.checkpoints, checkpointPartition(writerId), checkpointKey(writerId))
  if (!record?.value) return undefined
  return decodeCheckpoint(record.value)
}

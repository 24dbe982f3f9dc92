import {
  type Checkpoint,
  checkpointKey,
  checkpointPartition,
  checkpointRingSize,
  decodeCheckpoint,
  systemTopics,
} from '@headrace/catalog'
import { type Queue, type QueueRecord, readRange, UserError } from '@headrace/queue'
import { ringSlotOf } from '../runtime/checkpoint/read-checkpoints.ts'

export interface StoredCheckpoints {
  /** `undefined`: it is missing or cannot be decoded. */
  readonly newest: Checkpoint | undefined
  readonly unreadable: string | undefined
  readonly highest: Checkpoint | undefined
  /** The newest one or, if there is none, that of the highest unit. */
  readonly checkpoint: Checkpoint | undefined
  /** The oldest unit for which the ring has a slot; infinite without a checkpoint. */
  readonly oldestUnit: number
  readonly ring: ReadonlyMap<number, RingEntry>
  /** Topic → the first unit in the ring whose checkpoint names it. */
  readonly namedFrom: ReadonlyMap<string, number>
}

export interface RingEntry {
  readonly offset: bigint
  readonly checkpoint: Pick<Checkpoint, 'unit' | 'previous' | 'position' | 'fromStart'> | undefined
}

export async function readStoredCheckpoints(
  queue: Queue,
  writerId: string,
  signal: AbortSignal,
): Promise<StoredCheckpoints> {
  let newest: Checkpoint | string | undefined
  let highest: Checkpoint | undefined
  const ring = new Map<number, RingEntry>()
  const namedFrom = new Map<string, number>()
  for await (const { key, value, offset } of readOwnCheckpoints(queue, writerId, signal)) {
    const decoded = value ? decode(value) : undefined
    const slot = ringSlotOf(writerId, key)
    if (slot === undefined) newest = decoded
    else if (decoded === undefined) ring.delete(slot)
    else if (typeof decoded === 'string') ring.set(slot, { offset, checkpoint: undefined })
    else {
      const { unit, previous, position, fromStart } = decoded
      ring.set(slot, { offset, checkpoint: { unit, previous, position, ...(fromStart && { fromStart }) } })
      if (unit % checkpointRingSize !== slot) continue
      if (unit >= (highest?.unit ?? 0)) highest = decoded
      for (const topic of Object.keys(decoded.nextSeq))
        namedFrom.set(topic, Math.min(unit, namedFrom.get(topic) ?? unit))
    }
  }
  const unreadable = typeof newest === 'string' ? newest : undefined
  const readable = typeof newest === 'string' ? undefined : newest
  const checkpoint = readable ?? highest
  const oldestUnit = checkpoint ? Math.max(1, checkpoint.unit - checkpointRingSize + 1) : Number.POSITIVE_INFINITY
  return { newest: readable, unreadable, highest, checkpoint, oldestUnit, ring, namedFrom }
}

/**
 * Compaction may remove a record before it is read, because a later one replaces it: so records written since are read
 * too. Those that a damaged file has lost are skipped.
 */
export async function* readOwnCheckpoints(
  queue: Queue,
  writerId: string,
  signal: AbortSignal,
): AsyncGenerator<QueueRecord, void, undefined> {
  const place = { topic: systemTopics.checkpoints, partition: checkpointPartition(writerId) }
  const newestKey = Buffer.from(checkpointKey(writerId))
  const [topic] = await queue.describe([place.topic])
  let from = topic?.partitions[place.partition]?.earliest
  for (let rounds = 0; from !== undefined && rounds < mostRounds; rounds++) {
    const to: bigint = await queue.highWatermark(place.topic, place.partition)
    if (to === from) return
    for await (const batch of readRange(queue, { ...place, from, to }, { signal, onRemoved() {} })) {
      for (const record of batch.records()) {
        const isNewest = record.key !== null && newestKey.equals(record.key)
        if (isNewest || ringSlotOf(writerId, record.key) !== undefined) yield record
      }
    }
    from = to
  }
}

/** Other writers may write continuously. After a few rounds a round is shorter than a compaction. */
const mostRounds = 10

/** Returns the reason where it cannot be decoded. */
function decode(value: Uint8Array): Checkpoint | string {
  try {
    return decodeCheckpoint(value)
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

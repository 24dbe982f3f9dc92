import {
  type Checkpoint,
  checkpointKey,
  checkpointPartition,
  checkpointRingSize,
  decodeCheckpoint,
  systemTopics,
} from '@headrace/catalog'
import { type Queue, type QueueRecord, UserError } from '@headrace/queue'
import { readForward } from './read-forward.ts'

export interface StoredCheckpoints {
  /** `undefined`: it is missing or cannot be decoded. */
  readonly newest: Checkpoint | undefined
  readonly unreadable: string | undefined
  readonly highest: Checkpoint | undefined
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
  let newest: Checkpoint | undefined
  let unreadable: string | undefined
  let highest: Checkpoint | undefined
  const ring = new Map<number, RingEntry>()
  const namedFrom = new Map<string, number>()
  const newestKey = Buffer.from(checkpointKey(writerId))
  for await (const record of readOwn(queue, writerId, signal)) {
    const decoded = record.value ? decode(record.value) : undefined
    if (newestKey.equals(record.key!)) {
      newest = typeof decoded === 'string' ? undefined : decoded
      unreadable = typeof decoded === 'string' ? decoded : undefined
      continue
    }
    const slot = Number(Buffer.from(record.key!).subarray(newestKey.length + 1))
    if (decoded === undefined) ring.delete(slot)
    else if (typeof decoded === 'string') ring.set(slot, { offset: record.offset, checkpoint: undefined })
    else {
      const { unit, previous, position, fromStart } = decoded
      const checkpoint = { unit, previous, position, ...(fromStart && { fromStart }) }
      ring.set(slot, { offset: record.offset, checkpoint })
      if (unit % checkpointRingSize !== slot) continue
      if (unit >= (highest?.unit ?? 0)) highest = decoded
      for (const topic of Object.keys(decoded.nextSeq))
        namedFrom.set(topic, Math.min(unit, namedFrom.get(topic) ?? unit))
    }
  }
  return { newest, unreadable, highest, ring, namedFrom }
}

/** Reads the checkpoints that are in their slot completely, in the order in which they were written. */
export async function* readRing(
  queue: Queue,
  writerId: string,
  { ring }: StoredCheckpoints,
  signal: AbortSignal,
): AsyncGenerator<Checkpoint, void, undefined> {
  const inSlot = [...ring].filter(
    ([slot, { checkpoint }]) => checkpoint && checkpoint.unit % checkpointRingSize === slot,
  )
  const offsets = new Set(inSlot.map(([, { offset }]) => offset))
  for await (const { offset, value } of readOwn(queue, writerId, signal))
    if (offsets.has(offset)) yield decodeCheckpoint(value!)
}

/**
 * Compaction may remove a record before it is read, because a later one replaces it: so records written since are read
 * too.
 */
async function* readOwn(queue: Queue, writerId: string, signal: AbortSignal): AsyncGenerator<QueueRecord> {
  const place = { topic: systemTopics.checkpoints, partition: checkpointPartition(writerId) }
  const [topic] = await queue.describe([place.topic])
  let from = topic?.partitions[place.partition]?.earliest
  for (let rounds = 0; from !== undefined && rounds < mostRounds; rounds++) {
    const upTo: bigint = await queue.highWatermark(place.topic, place.partition)
    if (upTo === from) return
    for await (const batch of readForward(queue, { ...place, from, upTo }, { signal })) {
      for (const record of batch.records()) {
        const key = Buffer.from(record.key ?? []).toString()
        if (key === writerId || (key.startsWith(`${writerId}/`) && isRingSlot(key.slice(writerId.length + 1))))
          yield record
      }
    }
    from = upTo
  }
}

/** Other writers may write continuously. After a few rounds a round is shorter than a compaction. */
const mostRounds = 10

/** Another writer's id may begin with this one's and a slash. */
function isRingSlot(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) < checkpointRingSize
}

/** Returns the reason where it cannot be decoded. */
function decode(value: Uint8Array): Checkpoint | string {
  try {
    return decodeCheckpoint(value)
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

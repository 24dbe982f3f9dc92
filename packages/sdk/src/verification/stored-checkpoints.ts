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

/** The checkpoints of a writer at one moment. */
export interface StoredCheckpoints {
  /** `undefined`: there is none, or it cannot be read. */
  readonly newest: Checkpoint | undefined
  /** What is stored as the newest one and cannot be read. */
  readonly unreadable: string | undefined
  /** The one of the highest unit in the ring. Each transaction writes the checkpoint of its last unit twice. */
  readonly highest: Checkpoint | undefined
  /** Place in the ring → what is there. */
  readonly ring: ReadonlyMap<number, RingEntry>
  /** Topic → the first unit whose checkpoint names it, among those in the ring. */
  readonly namedFrom: ReadonlyMap<string, number>
}

/** What is kept in memory of a checkpoint in the ring. */
export interface RingEntry {
  /** Where its record is. */
  readonly offset: bigint
  /** `undefined` where it cannot be read. */
  readonly checkpoint: Pick<Checkpoint, 'unit' | 'previous' | 'position' | 'fromStart'> | undefined
}

/** Reads the newest checkpoint and the ring, as they are at one moment: each transaction writes to both. */
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
    const place = Number(Buffer.from(record.key!).subarray(newestKey.length + 1))
    if (decoded === undefined) ring.delete(place)
    else if (typeof decoded === 'string') ring.set(place, { offset: record.offset, checkpoint: undefined })
    else {
      const { unit, previous, position, fromStart } = decoded
      const checkpoint = { unit, previous, position, ...(fromStart && { fromStart }) }
      ring.set(place, { offset: record.offset, checkpoint })
      if (unit % checkpointRingSize !== place) continue
      if (unit >= (highest?.unit ?? 0)) highest = decoded
      for (const topic of Object.keys(decoded.nextSeq))
        namedFrom.set(topic, Math.min(unit, namedFrom.get(topic) ?? unit))
    }
  }
  return { newest, unreadable, highest, ring, namedFrom }
}

/** Reads the checkpoints that are in their place in the ring once more, whole, in the order in which they were written. */
export async function* readRing(
  queue: Queue,
  writerId: string,
  { ring }: StoredCheckpoints,
  signal: AbortSignal,
): AsyncGenerator<Checkpoint, void, undefined> {
  const inPlace = [...ring].filter(
    ([place, { checkpoint }]) => checkpoint && checkpoint.unit % checkpointRingSize === place,
  )
  const offsets = new Set(inPlace.map(([, { offset }]) => offset))
  for await (const { offset, value } of readOwn(queue, writerId, signal))
    if (offsets.has(offset)) yield decodeCheckpoint(value!)
}

/**
 * The records of one writer: `<writer id>` and `<writer id>/<place>`. One may be compacted away before it is read, because
 * a later one replaces it, so what is written in the meantime is read too.
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
        if (key === writerId || (key.startsWith(`${writerId}/`) && isRingPlace(key.slice(writerId.length + 1))))
          yield record
      }
    }
    from = upTo
  }
}

/** Where other writers write all the time, there is always something more. A round is soon too short for a compaction. */
const mostRounds = 10

/** Another writer's id may begin with this one's and a slash. */
function isRingPlace(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) < checkpointRingSize
}

/** Why it cannot be read, where it cannot. */
function decode(value: Uint8Array): Checkpoint | string {
  try {
    return decodeCheckpoint(value)
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

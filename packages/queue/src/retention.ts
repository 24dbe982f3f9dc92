import { setImmediate as nextTurn } from 'node:timers/promises'
import { UnknownTopicError } from './errors.ts'
import type { PartitionBounds, PartitionOffset, Queue } from './queue.ts'
import { type OffsetRange, readRange } from './reading/read-range.ts'
import type { RecordBatch } from './record-batch/record-batch.ts'

/** What may go from a partition of a topic with cleanup `delete`. Without a limit nothing does. */
export interface RetentionPolicy {
  /** Records older than this may go, by their own time, in ms. As Kafka's `retention.ms`. */
  readonly maxAgeMs?: number
  /** The oldest records may go while the rest still takes so many bytes in storage. As Kafka's `retention.bytes`. */
  readonly maxBytes?: number
}

export interface KeptRecords {
  /** The time now, in ms since the Unix epoch. */
  readonly now: number
  /** Nothing at or after this offset is removed: it can still be taken back. */
  readonly keepFrom: bigint
}

/** Removes what a policy lets go. For one caller at a time and partition. */
export interface Retention {
  /**
   * Removes what may go from a partition, whole batches only where bytes decide, and resolves to its earliest offset.
   *
   * With `maxBytes` the first call for a partition reads it from its earliest record to its end to learn how many bytes
   * it takes; later calls read what has been added and what is removed.
   *
   * @throws {UnknownTopicError}
   * @throws {TopicMismatchError} the topic's cleanup is not `delete`.
   */
  apply(place: Omit<PartitionOffset, 'offset'>, policy: RetentionPolicy, kept: KeptRecords): Promise<bigint>
}

/**
 * Retention on any engine. Kafka's own cannot be used: it goes by the wall clock of the broker, and the times of records
 * are those of their source.
 */
export function createRetention(queue: Queue): Retention {
  const sizes = new Map<string, KnownSize>()
  return {
    async apply(place, { maxAgeMs, maxBytes }, { now, keepFrom }) {
      const bounds = await boundsOf(queue, place)
      const aged = maxAgeMs === undefined ? bounds.earliest : await firstSince(queue, place, now - maxAgeMs, bounds)
      const byAge = least(aged, keepFrom)
      const name = JSON.stringify([place.topic, place.partition, place.topicId])
      const measured = maxBytes === undefined ? undefined : await measure(queue, place, bounds, sizes.get(name))
      // True whatever happens to the removal: a pass that may not remove anything does not read all of this again.
      if (measured !== undefined) sizes.set(name, measured)
      const left =
        measured === undefined || maxBytes === undefined
          ? undefined
          : await passBatches(queue, place, { bounds, byAge, keepFrom, size: measured, maxBytes })
      const earliest = left?.from ?? byAge
      if (earliest <= bounds.earliest) return bounds.earliest
      await queue.deleteBefore(place.topic, place.partition, earliest)
      // Where the answer is lost, the next pass finds another earliest offset and measures from there.
      if (left !== undefined) sizes.set(name, left)
      return earliest
    },
  }
}

type Place = Omit<PartitionOffset, 'offset'>

/** Bytes of the batches of a partition between two offsets. Never changed in place: a pass may fail at any time. */
interface KnownSize {
  readonly from: bigint
  readonly to: bigint
  readonly bytes: number
}

async function boundsOf(queue: Queue, { topic, partition }: Place): Promise<PartitionBounds> {
  const [description] = await queue.describe([topic])
  const bounds = description?.partitions[partition]
  if (bounds === undefined) throw new UnknownTopicError(topic, description && partition)
  return bounds
}

async function firstSince(queue: Queue, { topic, partition }: Place, timeMs: number, { end }: PartitionBounds) {
  const found = timeMs <= 0 ? 0n : await queue.offsetForTime(topic, partition, timeMs)
  return least(found ?? end, end)
}

async function measure(
  queue: Queue,
  place: Place,
  { earliest, end }: PartitionBounds,
  known: KnownSize | undefined,
): Promise<KnownSize> {
  // Where somebody else has removed records, or the log was cut back, the bytes of what is left are not known.
  const start = known?.from === earliest && known.to <= end ? known : { from: earliest, to: earliest, bytes: 0 }
  let { bytes } = start
  for await (const { byteLength } of readInTurns(queue, { ...place, from: start.to, to: end })) bytes += byteLength
  return { from: earliest, to: end, bytes }
}

/** What is left once all that age and bytes let go is removed: `from` is the offset that becomes the earliest. */
async function passBatches(
  queue: Queue,
  place: Place,
  {
    bounds: { earliest, end },
    byAge,
    keepFrom,
    size,
    maxBytes,
  }: { bounds: PartitionBounds; byAge: bigint; keepFrom: bigint; size: KnownSize; maxBytes: number },
): Promise<KnownSize> {
  if (byAge <= earliest && size.bytes <= maxBytes) return size
  let passed = earliest
  let { bytes } = size
  for await (const { nextOffset, byteLength } of readInTurns(queue, { ...place, from: earliest, to: end })) {
    const tooMany = bytes - byteLength >= maxBytes
    if (nextOffset > keepFrom || (nextOffset > byAge && !tooMany)) break
    passed = nextOffset
    bytes -= byteLength
  }
  return { from: byAge > passed ? byAge : passed, to: size.to, bytes }
}

/** An engine may answer without waiting for anything: timers and sockets get their turn between two batches. */
async function* readInTurns(queue: Queue, range: OffsetRange): AsyncGenerator<RecordBatch> {
  for await (const batch of readRange(queue, range)) {
    yield batch
    await nextTurn()
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

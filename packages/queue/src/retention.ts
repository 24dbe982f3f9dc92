import { setImmediate as nextTurn } from 'node:timers/promises'
import { UnknownTopicError } from './errors.ts'
import type { PartitionBounds, PartitionOffset, Queue } from './queue.ts'
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
      const size = maxBytes === undefined ? undefined : await measure(queue, place, bounds, sizes.get(name))
      const rest = size && maxBytes !== undefined ? { size, maxBytes } : undefined
      const earliest =
        rest === undefined ? byAge : await passBatches(queue, place, { bounds, byAge, keepFrom, ...rest })
      if (size !== undefined) sizes.set(name, size)
      if (earliest <= bounds.earliest) return bounds.earliest
      await queue.deleteBefore(place.topic, place.partition, earliest)
      return earliest
    },
  }
}

type Place = Omit<PartitionOffset, 'offset'>

/** Bytes of the batches of a partition between two offsets. */
interface KnownSize {
  from: bigint
  to: bigint
  bytes: number
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
  // Where somebody else has removed records, their bytes are not known.
  const size = known?.from === earliest ? known : { from: earliest, to: earliest, bytes: 0 }
  for await (const batch of batchesBetween(queue, place, size.to, end)) size.bytes += batch.byteLength
  return { ...size, to: end }
}

/** The offset to which both age and bytes let the batches go. What is passed is taken off the known size. */
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
): Promise<bigint> {
  let passed = earliest
  if (byAge <= earliest && size.bytes <= maxBytes) return earliest
  for await (const { nextOffset, byteLength } of batchesBetween(queue, place, earliest, least(keepFrom, end))) {
    const tooMany = size.bytes - byteLength >= maxBytes
    if (nextOffset > keepFrom || (nextOffset > byAge && !tooMany)) break
    passed = nextOffset
    size.bytes -= byteLength
  }
  size.from = byAge > passed ? byAge : passed
  return size.from
}

async function* batchesBetween(queue: Queue, place: Place, from: bigint, to: bigint): AsyncGenerator<RecordBatch> {
  for (let offset = from; offset < to; ) {
    const { batches, next } = await queue.read({ ...place, offset }, { maxBytes: pageBytes, maxWaitMs: pageWaitMs })
    for (const batch of batches) if (batch.baseOffset < to) yield batch
    // An engine may answer without waiting for anything; others get their turn.
    await nextTurn()
    offset = next
  }
}

const pageBytes = 1024 * 1024
/** For an engine that answers with nothing when it has no record at once. */
const pageWaitMs = 500

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { UnknownTopicError } from './errors.ts'
import type { PartitionBounds, PartitionOffset, Queue } from './queue.ts'
import { type OffsetRange, readRange } from './reading/read-range.ts'
import type { RecordBatch } from './record-batch/record-batch.ts'

/** Without a limit nothing is removed. */
export interface RetentionPolicy {
  /** Removes older records, by their own time, in ms. As Kafka's `retention.ms`. */
  readonly maxAgeMs?: number
  /** Removes the oldest records while this many bytes are kept. As Kafka's `retention.bytes`. */
  readonly maxBytes?: number
}

export interface KeptRecords {
  /** In ms since the Unix epoch. */
  readonly now: number
  /** What may still be reverted is not removed. */
  readonly keepFrom: bigint
}

/** One call at a time per partition. */
export interface Retention {
  /**
   * Removes records by age, and whole batches by size. Resolves to the earliest offset. With `maxBytes` the first call
   * reads the whole partition, later ones what was added and what is removed.
   *
   * @throws {UnknownTopicError}
   * @throws {TopicMismatchError} the topic's cleanup is not `delete`.
   */
  apply(place: Omit<PartitionOffset, 'offset'>, policy: RetentionPolicy, kept: KeptRecords): Promise<bigint>
}

/** Kafka's own retention compares the broker's clock with times of the source. */
export function createRetention(queue: Queue): Retention {
  const sizes = new Map<string, MeasuredRange>()
  return {
    async apply(place, { maxAgeMs, maxBytes }, { now, keepFrom }) {
      const bounds = await boundsOf(queue, place)
      const since = maxAgeMs === undefined ? 0 : now - maxAgeMs
      const aged = since > 0 ? await queue.offsetForTime(place.topic, place.partition, since) : bounds.earliest
      const byAge = least(least(aged ?? bounds.end, bounds.end), keepFrom)
      const name = JSON.stringify([place.topic, place.partition, place.topicId])
      let kept: MeasuredRange | undefined
      if (maxBytes !== undefined) {
        const range = { ...place, from: bounds.earliest, to: bounds.end }
        const measured = await measure(queue, range, sizes.get(name))
        // The removal may fail: the next call does not measure everything again.
        sizes.set(name, measured)
        kept = await keptRange(queue, measured, { byAge, keepFrom, maxBytes })
      }
      const earliest = kept?.from ?? byAge
      if (earliest <= bounds.earliest) return bounds.earliest
      await queue.deleteBefore(place.topic, place.partition, earliest)
      if (kept !== undefined) sizes.set(name, kept)
      return earliest
    },
  }
}

type Place = Omit<PartitionOffset, 'offset'>

interface MeasuredRange extends OffsetRange {
  readonly bytes: number
}

async function boundsOf(queue: Queue, { topic, partition }: Place): Promise<PartitionBounds> {
  const [description] = await queue.describe([topic])
  const bounds = description?.partitions[partition]
  if (bounds === undefined) throw new UnknownTopicError(topic, description && partition)
  return bounds
}

async function measure(queue: Queue, range: OffsetRange, known?: MeasuredRange): Promise<MeasuredRange> {
  // If not, another process has removed records, or the log was truncated.
  const isCurrent = known?.from === range.from && known.to <= range.to
  let { to: from, bytes } = isCurrent ? known : { to: range.from, bytes: 0 }
  for await (const { byteLength } of readWithPauses(queue, { ...range, from })) bytes += byteLength
  return { ...range, bytes }
}

async function keptRange(
  queue: Queue,
  range: MeasuredRange,
  { byAge, keepFrom, maxBytes }: { byAge: bigint; keepFrom: bigint; maxBytes: number },
): Promise<MeasuredRange> {
  let { from, bytes } = range
  if (byAge <= from && bytes <= maxBytes) return range
  for await (const { nextOffset, byteLength } of readWithPauses(queue, range)) {
    const tooMany = bytes - byteLength >= maxBytes
    if (nextOffset > keepFrom || (nextOffset > byAge && !tooMany)) break
    from = nextOffset
    bytes -= byteLength
  }
  return { ...range, from: byAge > from ? byAge : from, bytes }
}

/** An engine may answer without waiting: timers and sockets get their turn. */
async function* readWithPauses(queue: Queue, range: OffsetRange): AsyncGenerator<RecordBatch> {
  for await (const batch of readRange(queue, range)) {
    yield batch
    await nextTurn()
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

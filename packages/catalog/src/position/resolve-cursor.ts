import { PositionLostError, type Queue, readRange, type TopicDescription } from '@headrace/queue'
import { readCheckpoint } from '../checkpoint/checkpoint.ts'
import { readRecordHeaders } from '../record-header/record-header.ts'
import type { CursorTopic, PartitionPlace } from './cursor.ts'
import { findRecord } from './find-record.ts'
import { tellLoss, unavailable } from './tell-loss.ts'

export interface ResolveCursorOptions {
  /** The writer of the topic, `<lineage>/<instance>`: its checkpoint says how many records there have been. */
  readonly writerId?: string
}

/**
 * The places of a cursor, once the record at each has proved to be the one expected.
 *
 * @throws {PositionUnavailableError} records after it are lost. It names where to go on, in partitions that have lost
 *   nothing at the places of the cursor.
 */
export async function resolveCursor(
  queue: Queue,
  topic: TopicDescription,
  cursor: CursorTopic,
  options: ResolveCursorOptions,
): Promise<PartitionPlace[]> {
  if (cursor.id !== topic.id) throw unavailable(topic, 'recreated')
  const found = await Promise.allSettled(topic.partitions.map((_, partition) => resolvePartition(partition)))
  const failures = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const failure = failures.find((error) => !(error instanceof PositionLostError)) ?? failures[0]
  const places = found.map((one, partition) =>
    one.status === 'fulfilled' ? one.value : placeAfterLoss(partition, one.reason),
  )
  if (failure === undefined) return places
  return tellLoss(topic, Promise.reject(failure), { ...cursor, partitions: places })

  async function resolvePartition(partition: number): Promise<PartitionPlace> {
    const [place, head] = [cursor.partitions[partition], cursor.asOf?.[partition]]
    const check = createPlaceCheck(queue, topic, partition, options)
    // What was true as of a head says nothing of a log that was cut back before it.
    if (head && head !== place) await check(head)
    return place ? check(place) : earliestOf(partition)
  }

  /** The loss is newer than the description. */
  function placeAfterLoss(partition: number, error: unknown): PartitionPlace {
    const isRemoved = error instanceof PositionLostError && error.wasRemoved
    return isRemoved ? { offset: error.earliest, seq: null } : earliestOf(partition)
  }

  function earliestOf(partition: number): PartitionPlace {
    return { offset: topic.partitions[partition]!.earliest, seq: null }
  }
}

type PlaceCheck = (place: PartitionPlace) => Promise<PartitionPlace>

/**
 * Gives a place in a partition once the record there has proved to be the one expected.
 *
 * Retention may have removed offsets that held no record, such as a transaction marker. So a place before the earliest
 * offset is not lost where the first record that is left is the one expected.
 */
function createPlaceCheck(
  queue: Queue,
  topic: TopicDescription,
  partition: number,
  { writerId }: ResolveCursorOptions,
): PlaceCheck {
  const at = (offset: bigint) => ({ topic: topic.name, topicId: topic.id, partition, offset })

  async function checkPlace(place: PartitionPlace): Promise<PartitionPlace> {
    try {
      const record = await findRecord(queue, at(place.offset))
      if (place.seq !== null && record && record.seq !== place.seq)
        throw new PositionLostError(at(place.offset), topic.partitions[partition]!, 'truncated')
      return place
    } catch (error) {
      if (place.seq === null || !(error instanceof PositionLostError && error.wasRemoved)) throw error
      return checkEarliest(place.seq, error)
    }
  }

  async function checkEarliest(seq: number, removed: PositionLostError): Promise<PartitionPlace> {
    const { earliest } = removed
    const record = await findRecord(queue, at(earliest))
    const next = record ? record.seq : await countRecords(earliest)
    if (next !== seq) throw removed
    return { offset: earliest, seq }
  }

  /** How many records there have been, where none was left from an offset on. */
  async function countRecords(earliest: bigint): Promise<number | null | undefined> {
    const checkpoint = writerId === undefined ? undefined : await readCheckpoint(queue, writerId)
    // Some may have come before the checkpoint was read, and become visible later than it.
    const to = await queue.highWatermark(topic.name, partition)
    for await (const batch of readRange(queue, { ...at(earliest), from: earliest, to }))
      for (const { headers } of batch.records()) return readRecordHeaders(headers).seq ?? null
    return checkpoint?.nextSeq[topic.name]?.[partition]
  }

  return checkPlace
}

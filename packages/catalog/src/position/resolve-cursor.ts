import { PositionLostError, type Queue, readRange, type TopicDescription } from '@headrace/queue'
import { readCheckpoint } from '../checkpoint/checkpoint.ts'
import { readRecordHeaders } from '../record-header/record-header.ts'
import type { CursorTopic, PartitionPlace } from './cursor.ts'
import { findRecord } from './find-record.ts'
import { convertPositionLoss, unavailable } from './position-unavailable.ts'

export interface ResolveCursorOptions {
  readonly writerId?: string
}

/**
 * Checks that the record at each place of a cursor is the expected one.
 *
 * @throws {PositionUnavailableError} records after the cursor are lost.
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
  return convertPositionLoss(topic, Promise.reject(failure), { ...cursor, partitions: places })

  async function resolvePartition(partition: number): Promise<PartitionPlace> {
    const [place, head] = [cursor.partitions[partition], cursor.asOf?.[partition]]
    const check = createPlaceCheck(queue, topic, partition, options)
    // A log that was truncated before `head` no longer has the reverts that `asOf` relies on.
    if (head && head !== place) await check(head)
    return place ? check(place) : earliestOf(partition)
  }

  /** `topic` was described before the loss. */
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
 * A place before the earliest offset is valid if the earliest record has the expected seq: then retention has removed
 * only offsets without a record, such as transaction markers.
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
    const next = record ? record.seq : await nextSeq(earliest)
    if (next !== seq) throw removed
    return { offset: earliest, seq }
  }

  /** Of an empty partition, or of the first record that has been appended since. */
  async function nextSeq(earliest: bigint): Promise<number | null | undefined> {
    const checkpoint = writerId === undefined ? undefined : await readCheckpoint(queue, writerId)
    // Records that were committed before the checkpoint was read may become visible after it.
    const to = await queue.highWatermark(topic.name, partition)
    for await (const batch of readRange(queue, { ...at(earliest), from: earliest, to }))
      for (const { headers } of batch.records()) return readRecordHeaders(headers).seq ?? null
    return checkpoint?.nextSeq[topic.name]?.[partition]
  }

  return checkPlace
}

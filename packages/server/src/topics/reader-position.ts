import type { CursorTopic, RecordOrder, ResolvedPosition } from '@headrace/catalog'
import { addressed, type Place, placeAfter, type RenderedRecord, type ServedTopic } from './served-topic.ts'

/** Where one reader stands in each partition of a topic, moved on by what it is given. */
export interface ReaderPosition {
  readonly topic: ServedTopic
  readonly places: readonly Place[]
  /** The head as of which it reads the canonical view; `undefined`: it reads the log. */
  readonly asOf: readonly Place[] | undefined
  /** Whether records have the cursor for this reader that they were rendered with. */
  readonly isShared: boolean
  /** Moves past a record, and gives it with the cursor that it has for this reader: the boundary after it. */
  pass(record: RenderedRecord): RenderedRecord
  /** Moves to a place in a partition. */
  move(partition: number, place: Place): void
  /** Reads the log from now on, if it has come to the head as of which it read in every partition. */
  leaveHead(): void
  entry(): CursorTopic
  cursor(): string
}

/** @param order - In which it reads: `desc` it moves to the boundary before a record. */
export function createReaderPosition(
  topic: ServedTopic,
  start: ResolvedPosition,
  order: RecordOrder = 'asc',
): ReaderPosition {
  const places = [...start.partitions]
  const { name, id } = topic
  let { asOf } = start
  const entry = () => (asOf ? { id, topic: name, partitions: places, asOf } : { id, topic: name, partitions: places })
  const cursor = () => topic.cursorAt(asOf ? { partitions: places, asOf } : { partitions: places })
  return {
    topic,
    places,
    get asOf() {
      return asOf
    },
    get isShared() {
      return places.length === 1 && asOf === undefined
    },
    pass(record) {
      const { partition, offset, seq } = record
      places[partition] = placeAfter(offset, seq)
      const passed = places.length === 1 && asOf === undefined ? record : addressed(record, cursor())
      if (order === 'desc') places[partition] = { offset, seq }
      return passed
    },
    move(partition, place) {
      places[partition] = place
    },
    leaveHead() {
      if (asOf && hasReached(places, asOf)) asOf = undefined
    },
    entry,
    cursor,
  }
}

/** Whether a reader has come to a head in every partition. */
export function hasReached(places: readonly Place[], head: readonly Place[]): boolean {
  return places.every(({ offset }, partition) => offset >= head[partition]!.offset)
}

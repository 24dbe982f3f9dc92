import type { RecordOrder } from '../record-order/merge-partitions.ts'
import type { CursorTopic, PartitionPlace } from './cursor.ts'
import { encodeCursor } from './encode-cursor.ts'
import type { ResolvedPosition } from './resolve-position.ts'

/** Where one reader stands in each partition of a topic, moved on by what it is given. */
export interface ReaderPosition {
  readonly places: readonly PartitionPlace[]
  /** The head as of which it reads the canonical view; `undefined`: it reads the log. */
  readonly asOf: readonly PartitionPlace[] | undefined
  /** The cursor of the boundary after a record that comes next: the one that the record has for this reader. */
  cursorAfter(record: RecordPlace): string
  /** Moves past a record, in the order in which it reads. */
  pass(record: RecordPlace): void
  /** Moves to a place in a partition. */
  move(partition: number, place: PartitionPlace): void
  /** Reads the log from now on, if it has come to the head as of which it read in every partition. */
  leaveHead(): void
  entry(): CursorTopic
  cursor(): string
}

/** Where a record lies, and its seq where it has one. */
export interface RecordPlace {
  readonly partition: number
  readonly offset: bigint
  readonly seq: number | null
}

/** @param order - In which it reads: `desc` it moves to the boundary before a record. */
export function createReaderPosition(
  { id, name: topic }: { readonly id: string; readonly name: string },
  start: ResolvedPosition,
  order: RecordOrder = 'asc',
): ReaderPosition {
  const places = [...start.partitions]
  let { asOf } = start
  const entry = (): CursorTopic => (asOf ? { id, topic, partitions: places, asOf } : { id, topic, partitions: places })
  const cursor = () => encodeCursor({ topics: [entry()] })
  return {
    places,
    get asOf() {
      return asOf
    },
    cursorAfter({ partition, offset, seq }) {
      const place = places[partition]!
      places[partition] = placeAfter(offset, seq)
      const found = cursor()
      places[partition] = place
      return found
    },
    pass({ partition, offset, seq }) {
      places[partition] = order === 'asc' ? placeAfter(offset, seq) : { offset, seq }
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

/** The boundary after a record. */
export function placeAfter(offset: bigint, seq: number | null): PartitionPlace {
  return { offset: offset + 1n, seq: seq === null ? null : seq + 1 }
}

/** Whether a reader has come to a head in every partition. */
export function hasReached(places: readonly PartitionPlace[], head: readonly PartitionPlace[]): boolean {
  return places.every(({ offset }, partition) => offset >= head[partition]!.offset)
}

import type { RecordOrder } from '../record-order/merge-partitions.ts'
import { type CursorTopic, encodeCursor, type PartitionPlace, type ResolvedPosition } from './cursor.ts'

export interface ReaderPosition {
  readonly places: readonly PartitionPlace[]
  /** As `CursorTopic.asOf`. */
  readonly asOf: readonly PartitionPlace[] | undefined
  /** The record must be the next one of its partition. */
  cursorAfter(record: RecordPlace): string
  pass(record: RecordPlace): void
  move(partition: number, place: PartitionPlace): void
  /** Takes effect once every partition has reached `asOf`. */
  switchToLog(): void
  entry(): CursorTopic
  cursor(): string
}

export interface RecordPlace {
  readonly partition: number
  readonly offset: bigint
  readonly seq: number | null
}

/** @param order - With `desc`, `pass` moves to the boundary before a record. */
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
    switchToLog() {
      if (asOf && hasReached(places, asOf)) asOf = undefined
    },
    entry,
    cursor,
  }
}

export function placeAfter(offset: bigint, seq: number | null): PartitionPlace {
  return { offset: offset + 1n, seq: seq === null ? null : seq + 1 }
}

export function hasReached(places: readonly PartitionPlace[], head: readonly PartitionPlace[]): boolean {
  return places.every(({ offset }, partition) => offset >= head[partition]!.offset)
}

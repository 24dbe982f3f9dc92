import type { ReaderPosition } from '@headrace/catalog'
import { addressed, type RenderedRecord } from './served-topic.ts'

/** Moves a reader past a record, and gives the record with the cursor that it has for this reader. */
export function passRecord(reader: ReaderPosition, record: RenderedRecord): RenderedRecord {
  const passed = isShared(reader) ? record : addressed(record, reader.cursorAfter(record))
  reader.pass(record)
  return passed
}

/** Whether records have the cursor for a reader that they were rendered with. */
export function isShared({ places, asOf }: ReaderPosition): boolean {
  return places.length === 1 && asOf === undefined
}

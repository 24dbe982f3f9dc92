import { withCursor } from '@headrace/catalog'
import { type RenderedRecord, withoutCursor } from '../topics/served-topic.ts'
import type { Selection } from './selection.ts'

/** Whether a selection includes a record that was read for it, or by a feed that knows it. */
export function isSelected({ filter }: Selection, { json, matches }: RenderedRecord): boolean {
  return json.byteLength > 0 && (!matches || !filter || matches.has(filter))
}

/** A selected record as a reader gets it. `skipped`: the records that were left out before it, if their number is known. */
export function showSelected(
  { fields, render }: Selection,
  record: RenderedRecord,
  { cursor, skipped }: { readonly cursor: string; readonly skipped: number | undefined },
): RenderedRecord {
  const { partition, offset, seq, time, raw } = record
  const body = fields && raw ? render(raw) : withoutCursor(record)
  return { partition, offset, seq, time, cursorLength: cursor.length, json: withCursor(body, cursor, skipped) }
}

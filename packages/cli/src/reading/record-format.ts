import { type ReaderPosition, type RecordRenderer, readRecordHeaders, withCursor } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import type { Result } from '../output/result.ts'
import type { SelectedRecords } from './select-records.ts'

export function recordResult(
  renderer: RecordRenderer,
  { records, skipped }: SelectedRecords,
  position: ReaderPosition,
  { named = false }: { readonly named?: boolean } = {},
): Result {
  return {
    json: () => encodeRecords(renderer, records, position, skipped),
    text: () =>
      records.map((record) => `${named ? `${record.topic}  ` : ''}${describeRecord(renderer, record)}\n`).join(''),
  }
}

/** Each object has its cursor. Moves `position` past the records. */
export function encodeRecords(
  renderer: RecordRenderer,
  records: readonly QueueRecord[],
  position: ReaderPosition,
  skipped?: SelectedRecords['skipped'],
): Uint8Array {
  const parts: Uint8Array[] = []
  for (const record of records) {
    const { partition, offset, headers } = record
    const place = { partition, offset, seq: readRecordHeaders(headers).seq ?? null }
    parts.push(withCursor(renderer.render(record), position.cursorAfter(place), skipped?.get(record)), newline)
    position.pass(place)
  }
  return Buffer.concat(parts)
}

export function describeRecord(renderer: RecordRenderer, record: QueueRecord): string {
  const rendered = withCursor(renderer.render(record), '')
  return formatRecord(JSON.parse(Buffer.from(rendered).toString()) as RecordJson)
}

interface RecordJson {
  readonly partition: number
  readonly seq: string | null
  readonly offset: string
  readonly time: string
  readonly op: string
  readonly reverts?: string
  readonly value: Readonly<Record<string, unknown>> | null
  readonly error?: { readonly code: string }
}

function formatRecord({ partition, seq, offset, time, op, reverts, value, error }: RecordJson): string {
  const place = `${partition}:${seq ?? `@${offset}`}`
  const revert = op === 'revert' ? [`revert of ${reverts}`] : []
  const fields = Object.entries(value ?? {}).map(
    ([name, field]) => `${name}=${shorten(formatField(field), longestField)}`,
  )
  return [time, place, ...revert, ...(error ? [error.code] : fields)].join('  ')
}

function formatField(field: unknown): string {
  return typeof field === 'string' ? field : JSON.stringify(field)
}

export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

const longestField = 66
const newline = Buffer.from('\n')

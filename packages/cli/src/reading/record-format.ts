import { type ReaderPosition, type RecordRenderer, readRecordHeaders, withCursor } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'

/** Formats records as whole lines. */
export type RecordFormat = (records: readonly QueueRecord[], position: ReaderPosition) => Uint8Array

/** One JSON object per line. */
export function jsonFormat(renderer: RecordRenderer): RecordFormat {
  return (records, position) => {
    const parts: Uint8Array[] = []
    for (const record of records) {
      const { partition, offset, headers } = record
      const place = { partition, offset, seq: readRecordHeaders(headers).seq ?? null }
      parts.push(withCursor(renderer.render(record), position.cursorAfter(place)), newline)
      position.pass(place)
    }
    return Buffer.concat(parts)
  }
}

/**
 * One line per record for people: time, place and the fields of the value, shortened.
 *
 * @param named - Whether each line begins with the topic.
 */
export function textFormat(
  renderer: RecordRenderer,
  { named = false }: { readonly named?: boolean } = {},
): RecordFormat {
  return (records) => {
    const lines = records.map((record) => `${named ? `${record.topic}  ` : ''}${describeRecord(renderer, record)}`)
    return Buffer.from(`${lines.join('\n')}\n`)
  }
}

/** Time, place and fields of a record, in one line. */
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
  const fields = Object.entries(value ?? {}).map(([name, field]) => `${name}=${shorten(formatField(field))}`)
  return [time, place, ...revert, ...(error ? [error.code] : fields)].join('  ')
}

function formatField(field: unknown): string {
  return typeof field === 'string' ? field : JSON.stringify(field)
}

function shorten(text: string): string {
  return text.length <= longestField ? text : `${text.slice(0, longestField - 1)}…`
}

const longestField = 66
const newline = Buffer.from('\n')

import type { SinkRecord } from '../destination/destination.ts'
import type { FieldType, TopicField } from '../field/topic-fields.ts'
import { type Column, recordColumns } from './columns.ts'

/** Characters of a chunk. */
const chunkLength = 64 * 1024

export interface CopyTextOptions {
  /** Of the fields. */
  readonly columns: readonly Column[]
  /** Called for a value that PostgreSQL cannot store. If it returns, NULL is stored. */
  onBadValue(record: SinkRecord, field: TopicField | undefined): void
}

/** Rows in the text format of COPY: columns of the record, then those of its fields. */
export function* copyText(records: Iterable<SinkRecord>, { columns, onBadValue }: CopyTextOptions): Generator<string> {
  const writers = columns.map(({ field }) => ({ field, name: field?.name, write: writerOf(field?.type ?? 'json') }))
  let chunk = ''
  for (const record of records) {
    let row = ''
    for (const { of } of recordColumns) row += `${writeText(of(record))}\t`
    for (const { field, name, write } of writers) {
      const value = name === undefined ? record.value : record.value?.[name]
      let text = write(value as never)
      if (text === undefined) {
        onBadValue(record, field)
        text = nullText
      }
      row += `${text}\t`
    }
    chunk += `${row.slice(0, -1)}\n`
    if (chunk.length >= chunkLength) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

const nullText = '\\N'

/** `undefined`: PostgreSQL cannot store the value. */
type Writer = (value: never) => string | undefined

function writerOf(type: FieldType): Writer {
  switch (type) {
    case 'string':
    case 'enum':
      return writeText
    case 'hex':
      return (value: string | null | undefined) => (value == null ? nullText : `\\\\x${value.slice(2)}`)
    case 'base64':
      return (value: string | null | undefined) =>
        value == null ? nullText : `\\\\x${Buffer.from(value, 'base64').toString('hex')}`
    case 'timestamp':
      return (value: string | null | undefined) => (value == null ? nullText : toMicroseconds(value))
    case 'json':
      return writeJson
    default:
      return (value: string | number | boolean | null | undefined) => (value == null ? nullText : `${value}`)
  }
}

function writeText(value: string | number | null | undefined): string | undefined {
  if (value == null) return nullText
  if (typeof value === 'number' || !special.test(value)) return `${value}`
  return value.includes('\0') ? undefined : escapeText(value)
}

const special = /[\\\n\r\t\0]/

function escapeText(text: string): string {
  return text.replace(/[\\\n\r\t]/g, (character) => escapes[character]!)
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function writeJson(value: unknown): string | undefined {
  if (value === undefined || value === null) return nullText
  const text = JSON.stringify(value)
  if (text.includes('\\u0000') && holdsNul.test(text)) return undefined
  return text.includes('\\') ? text.replaceAll('\\', '\\\\') : text
}

/** An odd number of backslashes: the escape is not itself escaped. */
const holdsNul = /(?<!\\)(\\\\)*\\u0000/

/** PostgreSQL would round. */
function toMicroseconds(time: string): string {
  return time.length > '2026-01-01T00:00:00.000000Z'.length ? time.replace(/(\.\d{6})\d+/, '$1') : time
}

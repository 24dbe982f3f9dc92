import type { SinkRecord } from '../destination/destination.ts'
import { cutToMicroseconds } from '../field/cut-time.ts'
import { fieldReader } from '../field/read-field.ts'
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
  const writers = [
    ...recordColumns.map(({ of }) => ({ field: undefined, read: of, write: writeText as Writer })),
    ...columns.map(({ field }) => ({ field, read: readerOf(field), write: writerOf(field?.type ?? 'json') })),
  ]
  let chunk = ''
  for (const record of records) {
    let separator = ''
    for (const { field, read, write } of writers) {
      const text = write(read(record) as never)
      if (text === undefined) onBadValue(record, field)
      chunk += `${separator}${text ?? nullText}`
      separator = '\t'
    }
    chunk += '\n'
    if (chunk.length >= chunkLength) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

function readerOf(field: TopicField | undefined): (record: SinkRecord) => unknown {
  if (!field) return ({ value }) => value
  const read = fieldReader(field.name)
  return ({ value }) => read(value)
}

const nullText = '\\N'

/** `undefined`: PostgreSQL cannot store the value. */
type Writer = (value: never) => string | undefined
type Absent = null | undefined

function writerOf(type: FieldType): Writer {
  switch (type) {
    case 'string':
    case 'enum':
      return writeText
    case 'hex':
      return (value: string | Absent) => (value == null ? nullText : `\\\\x${value.slice(2)}`)
    case 'base64':
      return (value: string | Absent) =>
        value == null ? nullText : `\\\\x${Buffer.from(value, 'base64').toString('hex')}`
    case 'timestamp':
      // PostgreSQL would round.
      return (value: string | Absent) => (value == null ? nullText : cutToMicroseconds(value))
    case 'json':
      return writeJson
    case 'float':
    case 'double':
      return (value: string | number | Absent) => (value == null ? nullText : Object.is(value, -0) ? '-0' : `${value}`)
    default:
      return (value: string | number | boolean | Absent) => (value == null ? nullText : `${value}`)
  }
}

function writeText(value: string | number | Absent): string | undefined {
  if (value == null) return nullText
  if (typeof value === 'number' || !special.test(value)) return `${value}`
  return value.includes('\0') ? undefined : value.replace(/[\\\n\r\t]/g, (character) => escapes[character]!)
}

const special = /[\\\n\r\t\0]/
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function writeJson(value: unknown): string | undefined {
  if (value === undefined || value === null) return nullText
  const text = JSON.stringify(value)
  if (text.includes('\\u0000') && holdsNul.test(text)) return undefined
  return text.includes('\\') ? text.replaceAll('\\', '\\\\') : text
}

/** The backslash of the escape is not itself escaped. */
const holdsNul = /(?<!\\)(\\\\)*\\u0000/

import { UserError } from '@headrace/queue'
import type { Destination, SinkContext, StoredRow } from '../destination/destination.ts'
import type { FieldType } from '../field/topic-fields.ts'
import { type Column, fieldColumns } from './columns.ts'
import type { Database } from './database.ts'
import type { PostgresSinkOptions } from './options.ts'
import { quote, readStoredTables } from './tables.ts'

/** Rows of one FETCH. */
const fetchedRows = 1000

/** Reads tables and cursors as of one moment. */
export async function openStoredTables(
  database: Database,
  { name, topics }: SinkContext,
  { schema = 'public' }: PostgresSinkOptions,
): Promise<Destination> {
  await database.query('begin isolation level repeatable read, read only')
  const stored = new Map((await readStoredTables(database, name, schema)).map((table) => [table.topic, table]))
  const tableOf = (topic: string) => {
    const table = stored.get(topic)
    if (table) return table
    throw new UserError('destination_refused', `The sink "${name}" has no table for topic "${topic}".`)
  }
  let cursors = 0

  return {
    readCursor: async (topic) => tableOf(topic).cursor ?? undefined,
    async *readRows(topic, partition) {
      const table = tableOf(topic)
      const columns = fieldColumns(topics.find((one) => one.topic === topic)!, table.columns)
      const cursor = `stored_${cursors++}`
      const list = ['_seq', '_key', '_error', ...columns.map(selected)].join(', ')
      await database.query(
        `declare ${cursor} no scroll cursor for select ${list} from ${quote(schema)}.${quote(table.table_name)}
         where _partition = ${partition} order by _seq`,
      )
      for (;;) {
        const rows = await database.query<Row>(`fetch ${fetchedRows} from ${cursor}`)
        if (rows.length === 0) break
        yield rows.map((row) => storedRow(row, columns))
      }
      await database.query(`close ${cursor}`)
    },
    prepare: readOnly,
    apply: readOnly,
    close: () => database.close(),
  }
}

function readOnly(): never {
  throw new TypeError('The destination was opened to be read only.')
}

interface Row {
  readonly _seq: string
  readonly _key: string | null
  readonly _error: string | null
  readonly [column: string]: unknown
}

function selected({ name, type }: Column): string {
  if (type !== 'timestamptz') return quote(name)
  return `to_char(${quote(name)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as ${quote(name)}`
}

function storedRow(row: Row, columns: readonly Column[]): StoredRow {
  const { _seq: seq, _key: key } = row
  return { seq: BigInt(seq), key, value: messageOf(row, columns) }
}

function messageOf(row: Row, columns: readonly Column[]): StoredRow['value'] {
  const [first] = columns
  if (first && !first.field) return row[first.name] as StoredRow['value']
  if (row._error !== null) return null
  const entries = columns.map(({ name, field }) => [field!.name, jsonValue(row[name], field!.type)])
  return Object.fromEntries(entries)
}

/** In the form of the API. */
function jsonValue(value: unknown, type: FieldType): unknown {
  if (value === null) return null
  switch (type) {
    case 'uint32':
      return Number(value)
    case 'float':
      // PostgreSQL gives the shortest digits of a 32-bit number.
      return Number.isFinite(value) ? Math.fround(value as number) : `${value}`
    case 'double':
      return Number.isFinite(value) ? value : `${value}`
    case 'enum':
      return /^-?\d/.test(value as string) ? Number(value) : value
    case 'hex':
      return `0x${(value as Buffer).toString('hex')}`
    case 'base64':
      return (value as Buffer).toString('base64')
    case 'timestamp':
      return `${(value as string).replace(/(\.000000|(?<=\.\d{3})000)$/, '')}Z`
    default:
      return value
  }
}

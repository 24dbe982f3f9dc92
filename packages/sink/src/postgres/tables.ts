import { UserError } from '@headrace/queue'
import pg from 'pg'
import type { SinkContext, SinkTopic } from '../destination/destination.ts'
import { type Column, fieldColumns, recordColumns, type StoredColumns } from './columns.ts'
import type { Database } from './database.ts'
import { tableName } from './names.ts'
import type { PostgresSinkOptions } from './options.ts'

export interface Table {
  readonly topic: string
  readonly primaryKey: 'seq' | 'key'
  /** With its schema, quoted. */
  readonly name: string
  /** Of fields. */
  readonly columns: readonly Column[]
  /** Of the last transaction that this run has seen. */
  cursor: string | null
}

interface StoredTable {
  readonly topic: string
  readonly table_name: string
  readonly primary_key: 'seq' | 'key'
  readonly columns: StoredColumns
  readonly cursor: string | null
}

export const quote: (name: string) => string = pg.escapeIdentifier

export function sinksTable(schema: string): string {
  return `${quote(schema)}.headrace_sinks`
}

type TableOptions = Pick<PostgresSinkOptions, 'schema' | 'tables' | 'primaryKey'>

/** Creates missing tables and columns, in one transaction. */
export async function prepareTables(
  database: Database,
  { name: sink, topics }: SinkContext,
  options: TableOptions,
): Promise<Map<string, Table>> {
  const { schema = 'public' } = options
  const sinks = sinksTable(schema)
  return database.transaction(async () => {
    // Of two sessions that create a table at the same time, one fails, even with `if not exists`.
    await database.query(`select pg_advisory_xact_lock(hashtextextended('headrace sinks', 0))`)
    await database.query(
      `create table if not exists ${sinks} (
        sink text, topic text, table_name text not null, primary_key text not null, columns jsonb not null,
        cursor text, applied_at timestamptz, primary key (sink, topic)
      )`,
    )
    const stored = await readStoredTables(database, sink, schema, 'for update')
    const tables = new Map<string, Table>()
    for (const topic of topics) {
      const known = stored.find((one) => one.topic === topic.topic)
      const table = await prepareTable(database, { sink, topic, known, schema }, options)
      tables.set(topic.topic, table)
    }
    return tables
  })
}

export async function readStoredTables(
  database: Database,
  sink: string,
  schema: string,
  lock: 'for update' | '' = '',
): Promise<StoredTable[]> {
  return database.query<StoredTable>(
    `select topic, table_name, primary_key, columns, cursor from ${sinksTable(schema)} where sink = $1
     order by topic ${lock}`,
    [sink],
  )
}

interface TablePlan {
  readonly sink: string
  readonly topic: SinkTopic
  readonly known: StoredTable | undefined
  readonly schema: string
}

async function prepareTable(database: Database, plan: TablePlan, options: TableOptions): Promise<Table> {
  const { sink, topic, known, schema } = plan
  const shortName = known?.table_name ?? options.tables?.[topic.topic] ?? tableName(topic.topic)
  const name = `${quote(schema)}.${quote(shortName)}`
  const columns = fieldColumns(topic, known?.columns)
  if (columns.length + recordColumns.length > maxColumns) throw tooManyColumns(topic, columns.length)
  const [{ found } = { found: null }] = await database.query<{ found: string | null }>(
    'select to_regclass($1) as found',
    [name],
  )
  if (known && found === null) throw dropped(sink, topic, shortName)
  if (!known && found !== null) throw taken(topic, shortName)
  const { primaryKey = 'seq' } = options
  if (known && known.primary_key !== primaryKey) throw otherKey(topic, known, primaryKey)
  if (!known) await create(database, name, columns, primaryKey)
  else await alter(database, name, columns, known.columns)
  await store(database, plan, { shortName, columns, primaryKey })
  return { topic: topic.topic, primaryKey, name, columns, cursor: known?.cursor ?? null }
}

const maxColumns = 1600

async function create(
  database: Database,
  name: string,
  columns: readonly Column[],
  primaryKey: Table['primaryKey'],
): Promise<void> {
  const key = primaryKey === 'seq' ? '_partition, _seq' : '_key'
  const all = [...recordColumns, ...columns].map((column) => `${quote(column.name)} ${column.type}`)
  await database.query(`create table ${name} (${all.join(', ')}, primary key (${key}))`)
}

async function alter(
  database: Database,
  name: string,
  columns: readonly Column[],
  stored: StoredColumns,
): Promise<void> {
  const changes = columns.flatMap((column) => {
    const before = column.field && stored[column.field.number]
    const quoted = quote(column.name)
    if (!column.field) return []
    if (!before) return [`add column ${quoted} ${column.type}`]
    if (before.type === column.type) return []
    return [`alter column ${quoted} type ${column.type} using ${quoted}::text::${column.type}`]
  })
  if (changes.length > 0) await database.query(`alter table ${name} ${changes.join(', ')}`)
}

interface TableForm extends Pick<Table, 'columns' | 'primaryKey'> {
  readonly shortName: string
}

async function store(
  database: Database,
  plan: TablePlan,
  { shortName, columns, primaryKey }: TableForm,
): Promise<void> {
  const { sink, topic, known, schema } = plan
  const added = Object.fromEntries(
    columns.flatMap(({ field, name, type }) => (field ? [[field.number, { name, type }]] : [])),
  )
  await database.query(
    `insert into ${sinksTable(schema)} (sink, topic, table_name, primary_key, columns) values ($1, $2, $3, $4, $5)
     on conflict (sink, topic) do update set columns = excluded.columns`,
    [sink, topic.topic, shortName, primaryKey, JSON.stringify({ ...known?.columns, ...added })],
  )
}

function otherKey({ topic }: SinkTopic, known: StoredTable, wanted: Table['primaryKey']): UserError {
  return new UserError(
    'destination_refused',
    `The table "${known.table_name}" of topic "${topic}" was made with --primary-key ${known.primary_key}, and the sink ` +
      `was started with --primary-key ${wanted}. Start it as before, or with another --name and another table.`,
  )
}

function tooManyColumns({ topic }: SinkTopic, count: number): UserError {
  return new UserError(
    'unmappable_topic',
    `Topic "${topic}" has ${count} fields, and a table of PostgreSQL has at most ${maxColumns} columns, of which ` +
      `${recordColumns.length} are those of the record.`,
  )
}

function dropped(sink: string, { topic }: SinkTopic, table: string): UserError {
  return new UserError(
    'destination_refused',
    `The table "${table}" of topic "${topic}" was dropped, and the sink "${sink}" has a cursor in it. To fill it from the ` +
      `beginning, delete the row: delete from headrace_sinks where sink = '${sink}' and topic = '${topic}'.`,
  )
}

function taken({ topic }: SinkTopic, table: string): UserError {
  return new UserError(
    'destination_refused',
    `The table "${table}" exists, and was not made by this sink. Choose another one for the topic: ` +
      `--topic ${topic}=TABLE.`,
  )
}

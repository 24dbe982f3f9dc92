import { UserError } from '@headrace/queue'
import pg from 'pg'
import type { SinkContext, SinkTopic } from '../destination/destination.ts'
import { snakeCase } from '../field/snake-case.ts'
import { type Column, fieldColumns, recordColumns, type StoredColumns } from './columns.ts'
import type { Database } from './database.ts'
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

export function undoTable(schema: string): string {
  return `${quote(schema)}.headrace_undo`
}

/** For tables with a row per key: the row that each record replaced, `null` for none. */
async function createUndoTable(database: Database, schema: string): Promise<void> {
  const undo = undoTable(schema)
  await database.query(
    `create table if not exists ${undo} (
      sink text, topic text, partition int, seq bigint, unit bigint not null, key text not null, row jsonb,
      primary key (sink, topic, partition, seq)
    )`,
  )
  await database.query(`create index if not exists headrace_undo_unit on ${undo} (sink, topic, unit)`)
}

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
    if (options.primaryKey === 'key') await createUndoTable(database, schema)
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
  else await alter(database, { ...plan, name, columns, stored: known.columns, primaryKey })
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

interface Alteration
  extends Pick<TablePlan, 'sink' | 'topic' | 'schema'>,
    Pick<Table, 'name' | 'columns' | 'primaryKey'> {
  readonly stored: StoredColumns
}

/** A new column has in existing rows what the API gives for records without the field. */
async function alter(database: Database, { name, columns, stored, ...plan }: Alteration): Promise<void> {
  const added = columns.filter(({ field }) => field && !stored[field.number])
  const changes = [
    ...added.map((column) => `add column ${quote(column.name)} ${column.type} ${defaultClause(column)}`),
    ...columns.filter(({ field, type }) => field && (stored[field.number]?.type ?? type) !== type).map(widen),
  ]
  if (changes.length === 0) return
  await database.query(`alter table ${name} ${changes.join(', ')}`)
  if (plan.primaryKey !== 'key') return
  const absent = Object.fromEntries(added.map((column) => [column.name, absentJson(column)]))
  await database.query(
    `update ${undoTable(plan.schema)} set row = $3::jsonb || row where sink = $1 and topic = $2 and row is not null`,
    [plan.sink, plan.topic.topic, JSON.stringify(absent)],
  )
}

function widen({ name, type }: Column): string {
  return `alter column ${quote(name)} type ${type} using ${quote(name)}::text::${type}`
}

function defaultClause(column: Column): string {
  const absent = absentJson(column)
  if (absent == null) return ''
  return `default ${pg.escapeLiteral(typeof absent === 'object' ? JSON.stringify(absent) : `${absent}`)}`
}

/** As in the JSON of PostgreSQL. */
function absentJson({ type, field }: Column): unknown {
  const absent = field?.absent ?? null
  return type === 'bytea' && absent !== null ? '\\x' : absent
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

/** The last segment of the topic in snake_case: `ethereum_block` of `acme.evm.1_0_0.ethereum_Block`. */
function tableName(topic: string): string {
  return snakeCase(topic.slice(topic.lastIndexOf('.') + 1))
}

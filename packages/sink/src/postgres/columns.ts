import type { SinkRecord, SinkTopic } from '../destination/destination.ts'
import { seqOf } from '../destination/record-seq.ts'
import { snakeCase } from '../field/snake-case.ts'
import type { FieldType, TopicField } from '../field/topic-fields.ts'

export interface Column {
  readonly name: string
  readonly type: string
  /** Of the field. `undefined`: the column is not of a field. */
  readonly field: TopicField | undefined
}

/** How the columns of a table were made, by number of the field. Stored, because names must not change. */
export type StoredColumns = Readonly<Record<string, { readonly name: string; readonly type: string }>>

/** The columns that every table has. Names of fields that are equal get a suffix. */
export const recordColumns: readonly (Column & { readonly of: (record: SinkRecord) => string | number | null })[] = [
  { ...column('_partition', 'integer'), of: ({ partition }) => partition },
  { ...column('_seq', 'bigint'), of: seqOf },
  { ...column('_unit', 'bigint'), of: ({ unit }) => unit },
  { ...column('_time', 'timestamptz'), of: ({ time }) => time },
  { ...column('_key', 'text'), of: ({ key }) => key },
  { ...column('_error', 'text'), of: ({ error }) => error?.code ?? null },
]

function column(name: string, type: string): Column {
  return { name, type, field: undefined }
}

/** Every table of PostgreSQL has them. */
const systemColumns = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']

/** @param stored - Keep their names. */
export function fieldColumns({ fields }: SinkTopic, stored: StoredColumns = {}): Column[] {
  if (!fields) return [{ name: 'value', type: 'jsonb', field: undefined }]
  const taken = new Set([...systemColumns, ...[...recordColumns, ...Object.values(stored)].map(({ name }) => name)])
  return fields.map((field) => {
    const type = columnTypes[field.type]
    const known = stored[field.number]
    if (known) return { name: known.name, type, field }
    const name = freeName(field, taken)
    taken.add(name)
    return { name, type, field }
  })
}

function freeName({ name, number }: TopicField, taken: ReadonlySet<string>): string {
  const wanted = snakeCase(name)
  return taken.has(wanted) ? snakeCase(`${wanted}_${number}`) : wanted
}

const columnTypes: Readonly<Record<FieldType, string>> = {
  bool: 'boolean',
  int32: 'integer',
  uint32: 'bigint',
  int64: 'bigint',
  uint64: 'numeric(20)',
  float: 'real',
  double: 'double precision',
  string: 'text',
  hex: 'bytea',
  base64: 'bytea',
  enum: 'text',
  timestamp: 'timestamptz',
  // The type `interval` would keep microseconds only. A cast to it works.
  duration: 'text',
  json: 'jsonb',
}

import type { SchemaElement } from 'hyparquet'
import type { SinkRecord, SinkTopic } from '../destination/destination.ts'
import { seqOf } from '../destination/record-seq.ts'
import { fieldReader } from '../field/read-field.ts'
import { snakeCase } from '../field/snake-case.ts'
import type { FieldType, TopicField } from '../field/topic-fields.ts'
import { fromMicroseconds, toMicroseconds } from './microseconds.ts'

/** `undefined` is NULL. */
export type Stored = string | number | bigint | boolean | Uint8Array | undefined

export interface Column {
  readonly element: SchemaElement
  readonly of: (record: SinkRecord) => Stored
}

export interface FieldColumn extends Column {
  /** `undefined`: of the whole value. */
  readonly field: TopicField | undefined
  /** The value in the form of the API, from a stored one that is not NULL. */
  readonly read: (stored: never) => unknown
}

const required = { repetition_type: 'REQUIRED' } as const
const optional = { repetition_type: 'OPTIONAL' } as const
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const
const time = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MICROS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
} as const

/** The columns that every file has, before those of the fields. */
export const recordColumns: readonly Column[] = [
  { element: { name: '_partition', type: 'INT32', ...required }, of: ({ partition }) => partition },
  { element: { name: '_seq', type: 'INT64', ...required }, of: (record) => BigInt(seqOf(record)) },
  {
    element: { name: '_unit', type: 'INT64', ...optional },
    of: ({ unit }) => (unit === null ? undefined : BigInt(unit)),
  },
  { element: { name: '_time', ...time, ...required }, of: (record) => toMicroseconds(record.time) },
  { element: { name: '_key', ...text, ...optional }, of: ({ key }) => key ?? undefined },
  { element: { name: '_error', ...text, ...optional }, of: ({ error }) => error?.code },
]

/** Readers in JavaScript make an object of a row. */
const unreadable = ['__proto__']

/** @param names - By number of the field: they stay as they are. */
export function fieldColumns({ fields }: SinkTopic, names: Readonly<Record<string, string>>): FieldColumn[] {
  if (!fields) return [{ ...jsonColumn('value'), field: undefined, of: ({ value }) => json(value) }]
  const taken = new Set([...unreadable, ...recordColumns.map(({ element }) => element.name), ...Object.values(names)])
  return fields.map((field) => {
    const name = names[field.number] ?? freeName(field, taken)
    taken.add(name)
    const { element, store, read } = forms[field.type]
    const readField = fieldReader(field.name)
    return {
      element: { name, ...element, ...optional, field_id: field.number },
      field,
      of: ({ value }) => {
        const found = readField(value)
        return found === undefined || found === null ? undefined : store(found as never)
      },
      read,
    }
  })
}

function jsonColumn(name: string): Pick<FieldColumn, 'element' | 'read'> {
  return { element: { name, ...text, ...optional }, read: JSON.parse }
}

function freeName({ name, number }: TopicField, taken: ReadonlySet<string>): string {
  const wanted = snakeCase(name)
  return taken.has(wanted) ? snakeCase(`${wanted}_${number}`) : wanted
}

interface Form {
  readonly element: Omit<SchemaElement, 'name'>
  readonly store: (value: never) => Stored
  readonly read: (stored: never) => unknown
}

const same = { store: (value: never) => value, read: (stored: never) => stored }
const integer = { store: (value: string) => BigInt(value), read: (stored: bigint) => `${stored}` }
const float = { store: (value: number | string) => Number(value), read: fromFloat }

/** Integers have no logical type: the library writes their width with a type that other readers refuse. */
const forms: Readonly<Record<FieldType, Form>> = {
  bool: { element: { type: 'BOOLEAN' }, ...same },
  int32: { element: { type: 'INT32' }, ...same },
  uint32: { element: { type: 'INT32', converted_type: 'UINT_32' }, ...same },
  int64: { element: { type: 'INT64' }, ...integer },
  uint64: { element: { type: 'INT64', converted_type: 'UINT_64' }, ...integer },
  float: { element: { type: 'FLOAT' }, ...float },
  double: { element: { type: 'DOUBLE' }, ...float },
  string: { element: text, ...same },
  hex: {
    element: { type: 'BYTE_ARRAY' },
    store: (value: string) => Buffer.from(value.slice(2), 'hex'),
    read: (stored: Uint8Array) => `0x${Buffer.from(stored).toString('hex')}`,
  },
  base64: {
    element: { type: 'BYTE_ARRAY' },
    store: (value: string) => Buffer.from(value, 'base64'),
    read: (stored: Uint8Array) => Buffer.from(stored).toString('base64'),
  },
  // A number has no name.
  enum: {
    element: text,
    store: (value: string | number) => `${value}`,
    read: (stored: string) => (/^-?\d/.test(stored) ? Number(stored) : stored),
  },
  timestamp: { element: time, store: toMicroseconds, read: fromMicroseconds },
  duration: { element: text, ...same },
  json: { element: text, store: json, read: JSON.parse },
}

function fromFloat(stored: number): number | string {
  return Number.isFinite(stored) ? stored : `${stored}`
}

function json(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : JSON.stringify(value)
}

import { grouped } from '../../../format/number.ts'
import type { JsonSchema, Topic } from '../../../service/types.ts'
import type { Row } from './row.ts'

/** How a value is shown. */
export type ValueKind = 'integer' | 'number' | 'boolean' | 'hex' | 'time' | 'text' | 'nested'

export interface Column {
  readonly name: string
  readonly kind: ValueKind
  readonly description: string
}

/** The fields of the message, in the order of the .proto, without those that are the time and the key of the record. */
export function columnsOf(
  { jsonSchema, key, time }: Pick<Topic, 'jsonSchema' | 'key' | 'time'>,
  rows: readonly Row[],
): Column[] {
  const fields = Object.entries(resolve(jsonSchema, jsonSchema).properties ?? {})
  if (fields.length === 0) return columnsIn(rows)
  return fields
    .filter(([name]) => name !== key && name !== time)
    .map(([name, property]) => ({
      name,
      kind: kindOf(property, jsonSchema),
      description: property.description ?? '',
    }))
}

const [mostRows, mostColumns] = [50, 30]

/** The members of the first values, for a topic without a schema. */
function columnsIn(rows: readonly Row[]): Column[] {
  const kinds = new Map<string, ValueKind>()
  for (const row of rows.slice(0, mostRows)) {
    const value: unknown = row.kind === 'record' ? row.record.value : null
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    for (const [name, member] of Object.entries(value)) if (!kinds.has(name)) kinds.set(name, kindIn(member))
  }
  return Array.from(kinds, ([name, kind]) => ({ name, kind, description: '' })).slice(0, mostColumns)
}

function kindIn(value: unknown): ValueKind {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'object' && value !== null ? 'nested' : 'text'
}

/** Names of all fields with their messages before them, for filters: `value.Header.Number`. At most three levels deep. */
export function fieldPaths(schema: JsonSchema): string[] {
  return pathsIn(schema, schema, 'value', 3)
}

function pathsIn(part: JsonSchema, root: JsonSchema, prefix: string, depth: number): string[] {
  if (depth === 0) return []
  return Object.entries(resolve(part, root).properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}.${name}`
    return [path, ...pathsIn(property, root, path, depth - 1)]
  })
}

/** A property with a comment may have its `$ref` next to the description, or in `anyOf`. */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!schema.$ref) return schema
  const name = schema.$ref.replace(/^#\/\$defs\//, '')
  return root.$defs?.[name] ?? {}
}

function kindOf(property: JsonSchema, root: JsonSchema): ValueKind {
  const { type, format, pattern, anyOf, enum: values } = resolve(property, root)
  if (anyOf) return kindOf(anyOf[0]!, root)
  if (values) return 'text'
  if (format === 'date-time') return 'time'
  if (type === 'integer') return 'integer'
  if (type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type !== 'string') return 'nested'
  if (pattern?.startsWith('^0x')) return 'hex'
  return pattern?.includes('[1-9]\\d{0,19}') || pattern?.includes('[1-9]\\d{0,18}') ? 'integer' : 'text'
}

const [characterPx, paddingPx] = [7.2, 22]
const longestText = 36

/** In px: as wide as its name and the values of these rows need. */
export function widthOf({ name, kind }: Column, rows: readonly Row[]): number {
  const lengths = rows.map((row) => (row.kind === 'record' ? textLength(row.record.value?.[name], kind) : 0))
  return Math.ceil(Math.max(name.length + 2, 6, ...lengths) * characterPx) + paddingPx
}

function textLength(value: unknown, kind: ValueKind): number {
  if (kind === 'time') return 10
  if (value === null || typeof value !== 'object') return cellLength(String(value ?? ''), kind)
  return 12
}

function cellLength(text: string, kind: ValueKind): number {
  if (kind === 'integer') return grouped(text).length
  return Math.min(text.startsWith('0x') ? 15 : text.length, longestText)
}

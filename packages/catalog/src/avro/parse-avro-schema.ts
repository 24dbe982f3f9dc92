import { isObject } from '../system-topics/system-topics.ts'
import {
  type AvroField,
  type AvroLogical,
  type AvroPrimitive,
  type AvroType,
  isNamed,
  primitiveKinds,
} from './avro-schema.ts'

export interface AvroSchemaText {
  /** JSON, or the name of a primitive type. */
  readonly text: string
  /** Schemas whose names it uses, dependencies first. */
  readonly references?: readonly string[] | undefined
}

/** Of types in each other. */
const depthLimit = 100

/** Throws an `Error` with what is wrong. */
export function parseAvroSchema({ text, references = [] }: AvroSchemaText): AvroType {
  const names = new Map<string, AvroType>()
  for (const reference of references) parseType(readJson(reference), { names, namespace: '', depth: 0 })
  return parseType(readJson(text), { names, namespace: '', depth: 0 })
}

/**
 * Returns the name of the type, if it has one.
 *
 * @param invalid - Makes the error that is thrown.
 */
export function checkAvroSchema(schema: AvroSchemaText, invalid: (found: string) => Error): string | undefined {
  try {
    const type = parseAvroSchema(schema)
    return isNamed(type) ? type.name : undefined
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // Registries may return a primitive schema without quotes.
    if (isPrimitive(text.trim())) return text.trim()
    throw new Error(`it is not JSON: ${(error as Error).message}`)
  }
}

interface Scope {
  /** By full name. Grows. */
  readonly names: Map<string, AvroType>
  readonly namespace: string
  readonly depth: number
}

type Definition = Readonly<Record<string, unknown>>

function parseType(schema: unknown, outer: Scope): AvroType {
  const scope = { ...outer, depth: outer.depth + 1 }
  if (scope.depth > depthLimit) throw new Error(`its types are nested more than ${depthLimit} deep`)
  if (typeof schema === 'string') return named(schema, scope)
  if (Array.isArray(schema)) return union(schema, scope)
  if (!isObject(schema)) throw new Error(`found ${JSON.stringify(schema)} where a type is expected`)
  const { type } = schema
  if (type === 'record' || type === 'error') return record(schema, scope)
  if (type === 'enum') return enumeration(schema, scope)
  if (type === 'fixed') return fixed(schema, scope)
  if (type === 'array') return { kind: 'array', items: parseType(schema.items, scope) }
  if (type === 'map') return { kind: 'map', values: parseType(schema.values, scope) }
  if (isPrimitive(type)) return { kind: type, logical: logicalOf(schema, type) }
  return parseType(type, scope)
}

function isPrimitive(type: unknown): type is AvroPrimitive['kind'] {
  return primitiveKinds.some((kind) => kind === type)
}

function named(name: string, { names, namespace }: Scope): AvroType {
  if (isPrimitive(name)) return { kind: name }
  const found = names.get(qualify(name, namespace)) ?? names.get(name)
  if (found) return found
  throw new Error(`the type ${JSON.stringify(name)} is unknown`)
}

function union(schemas: readonly unknown[], scope: Scope): AvroType {
  const branches = schemas.map((schema) => parseType(schema, scope))
  const keys = branches.map((branch) => (isNamed(branch) ? branch.name : branch.kind))
  const twice = keys.find((key, index) => key === 'union' || keys.indexOf(key) !== index)
  if (twice !== undefined) throw new Error(`a union has the branch ${twice} twice, or a union in it`)
  return { kind: 'union', branches }
}

function qualify(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`
}

function nameIn(schema: Definition, scope: Scope) {
  const { name, namespace, aliases = [], doc } = schema
  if (typeof name !== 'string' || !namePattern.test(name))
    throw new Error(`the name ${JSON.stringify(name)} is not valid`)
  const around = typeof namespace === 'string' ? namespace : scope.namespace
  const full = qualify(name, around)
  if (scope.names.has(full)) throw new Error(`the type ${full} is defined twice`)
  const own = full.includes('.') ? full.slice(0, full.lastIndexOf('.')) : ''
  return {
    name: full,
    aliases: texts(aliases).map((alias) => qualify(alias, own)),
    ...(typeof doc === 'string' && { doc }),
    inner: { ...scope, namespace: own },
  }
}

const namePattern = /^\.?[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function record(schema: Definition, scope: Scope): AvroType {
  const { inner, ...names } = nameIn(schema, scope)
  const fields: AvroField[] = []
  const type = { kind: 'record', ...names, fields } as const
  scope.names.set(names.name, type)
  if (!Array.isArray(schema.fields)) throw new Error(`the record ${names.name} has no fields`)
  for (const field of schema.fields) fields.push(fieldOf(field, inner, names.name))
  const twice = fields.find(({ name }, index) => fields.findIndex((other) => other.name === name) < index)
  if (twice) throw new Error(`the record ${names.name} has the field ${twice.name} twice`)
  return type
}

function fieldOf(field: unknown, scope: Scope, record: string): AvroField {
  if (!isObject(field) || typeof field.name !== 'string') throw new Error(`a field of ${record} has no name`)
  const { name, aliases, doc } = field
  return {
    name,
    aliases: texts(aliases),
    type: parseType(field.type, scope),
    ...(typeof doc === 'string' && { doc }),
    ...('default' in field && { default: { value: field.default } }),
  }
}

function enumeration(schema: Definition, scope: Scope): AvroType {
  const { inner: _, ...names } = nameIn(schema, scope)
  const symbols = texts(schema.symbols)
  if (symbols.length === 0) throw new Error(`the enum ${names.name} has no symbols`)
  const { default: standard } = schema
  const type: AvroType = { kind: 'enum', ...names, symbols, ...(typeof standard === 'string' && { default: standard }) }
  scope.names.set(names.name, type)
  return type
}

function fixed(schema: Definition, scope: Scope): AvroType {
  const { inner: _, ...names } = nameIn(schema, scope)
  const { size } = schema
  if (!Number.isSafeInteger(size) || (size as number) < 0) throw new Error(`the size of ${names.name} is not valid`)
  const type = { kind: 'fixed', ...names, size: size as number, logical: logicalOf(schema, 'fixed') } as const
  scope.names.set(names.name, type)
  return type
}

/** As the specification requires, an unknown or invalid logical type is ignored. */
function logicalOf({ logicalType, scale = 0, size }: Definition, kind: string): AvroLogical | undefined {
  const is = (name: string, ...kinds: string[]) => logicalType === name && kinds.includes(kind)
  if (is('decimal', 'bytes', 'fixed'))
    return Number.isSafeInteger(scale) && (scale as number) >= 0
      ? { name: 'decimal', scale: scale as number }
      : undefined
  if (is('uuid', 'string') || (is('uuid', 'fixed') && size === 16)) return { name: 'uuid' }
  if (is('duration', 'fixed') && size === 12) return { name: 'duration' }
  if (is('date', 'int')) return { name: 'date' }
  if (is('time-millis', 'int')) return { name: 'time-millis' }
  if (is('time-micros', 'long')) return { name: 'time-micros' }
  const timestamp = kind === 'long' && typeof logicalType === 'string' && timestampPattern.exec(logicalType)
  if (!timestamp) return undefined
  return { name: 'timestamp', perSecond: unitsPerSecond[timestamp[2]!]!, isLocal: timestamp[1] !== undefined }
}

const timestampPattern = /^(local-)?timestamp-(millis|micros|nanos)$/
const unitsPerSecond: Readonly<Record<string, number>> = { millis: 1e3, micros: 1e6, nanos: 1e9 }

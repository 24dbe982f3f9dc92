import type { BytesForm } from '../schema/scalar-forms.ts'
import { isObject } from '../system-topics/system-topics.ts'
import type { AvroFixed, AvroType } from './avro-schema.ts'
import { formatDecimal } from './write-logical.ts'

export interface DefaultOptions {
  readonly bytes: BytesForm
  readonly quotesLongs: boolean
}

/** The JSON of the default of a field, in the form of other values. Throws an `Error` for an invalid one. */
export function defaultJson(type: AvroType, value: unknown, options: DefaultOptions): string {
  switch (type.kind) {
    case 'union':
      return unionDefault(type.branches, value, options)
    case 'record':
      if (!isObject(value)) throw invalid(value)
      return `{${type.fields
        .map(({ name, type: inner, default: own }) => {
          const given = Object.hasOwn(value, name) ? value[name] : own?.value
          return `${JSON.stringify(name)}:${defaultJson(inner, given, options)}`
        })
        .join()}}`
    case 'array':
      if (!Array.isArray(value)) throw invalid(value)
      return `[${value.map((item) => defaultJson(type.items, item, options)).join()}]`
    case 'map':
      if (!isObject(value)) throw invalid(value)
      return `{${Object.entries(value)
        .map(([name, one]) => `${JSON.stringify(name)}:${defaultJson(type.values, one, options)}`)
        .join()}}`
    case 'bytes':
    case 'fixed':
      return bytesDefault(type, value, options)
    case 'long':
      if (typeof value !== 'number') throw invalid(value)
      return options.quotesLongs && !type.logical ? `"${BigInt(value)}"` : JSON.stringify(value)
    default:
      if (value === undefined || (type.kind === 'null') !== (value === null)) throw invalid(value)
      return JSON.stringify(value)
  }
}

/** That of the first branch, and since Avro 1.12 of any. */
function unionDefault(branches: readonly AvroType[], value: unknown, options: DefaultOptions): string {
  for (const branch of branches) if (isOf(branch, value)) return defaultJson(branch, value, options)
  throw invalid(value)
}

function isOf({ kind }: AvroType, value: unknown): boolean {
  if (value === null || kind === 'null') return value === null && kind === 'null'
  if (kind === 'int' || kind === 'long' || kind === 'float' || kind === 'double') return typeof value === 'number'
  if (kind === 'boolean') return typeof value === 'boolean'
  if (kind === 'array') return Array.isArray(value)
  if (kind === 'record' || kind === 'map') return isObject(value)
  return typeof value === 'string'
}

/** In a schema, a character stands for each byte. */
function bytesDefault({ logical }: Pick<AvroFixed, 'logical'>, value: unknown, options: DefaultOptions): string {
  if (typeof value !== 'string') throw invalid(value)
  const bytes = Buffer.from(value, 'latin1')
  if (logical?.name === 'decimal') {
    const unscaled = bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))
    return `"${formatDecimal(unscaled, logical.scale)}"`
  }
  return JSON.stringify(options.bytes === 'hex' ? `0x${bytes.toString('hex')}` : bytes.toString('base64'))
}

function invalid(value: unknown): Error {
  return new Error(`the default ${JSON.stringify(value)} is not of its type`)
}

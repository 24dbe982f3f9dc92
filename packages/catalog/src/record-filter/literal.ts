import { didYouMean } from '../nearest-name.ts'
import type { BytesForm } from '../schema/scalar-forms.ts'
import { excerpt, InvalidFilterError, listNames } from './invalid-filter.ts'
import { type Syntax, showSyntax } from './syntax.ts'
import type { LiteralTerm, ValueType } from './term.ts'
import { parseInstant, shorten, type Value } from './value.ts'

/** Where a literal is, and the name of what it is compared with. */
export interface LiteralPlace {
  readonly syntax: Syntax
  readonly what: string
  readonly bytes: BytesForm
}

/**
 * The value of a literal that is compared with a value of a type.
 *
 * @throws {InvalidFilterError} the literal is of another type.
 */
export function convertLiteral(
  { value }: LiteralTerm,
  type: ValueType,
  { syntax, what, bytes }: LiteralPlace,
): Value | null {
  const { column } = syntax
  const refuse = (wanted: string) =>
    new InvalidFilterError(
      column,
      `found ${showSyntax(syntax)}, but ${what} is ${type.name}. Compare it with ${wanted}.`,
    )
  if (value === null) {
    if (type.nullable) return null
    throw new InvalidFilterError(
      column,
      `found null, but ${what} is ${type.name}. To test whether a field is set, use has().`,
    )
  }
  switch (type.kind) {
    case 'bool':
      if (typeof value === 'boolean') return value
      throw refuse('true or false')
    case 'number':
      if (type.enum && typeof value === 'string') return enumNumber(value, type, column)
      if (typeof value === 'number') return value
      if (typeof value === 'bigint') return shorten(value)
      throw refuse(
        type.enum ? `the name of a value, such as "${type.enum.values[0]!.name}"` : 'a number without quotes',
      )
    case 'text':
      if (typeof value !== 'string') throw refuse('text in quotes')
      if (type.texts && !type.texts.includes(value)) throw refuse(type.texts.map((text) => `"${text}"`).join(' or '))
      return Buffer.from(value)
    case 'bytes': {
      if (value instanceof Uint8Array) return value
      const read = typeof value === 'string' ? readBytes(value, bytes) : undefined
      if (read) return read
      throw refuse(bytes === 'hex' ? '"0x" and an even number of hexadecimal digits, in quotes' : 'base64 in quotes')
    }
    case 'time': {
      if (typeof value === 'object' && 'seconds' in value) return value
      const instant = typeof value === 'string' ? parseInstant(value) : undefined
      if (instant) return instant
      throw refuse('a time such as timestamp("2026-01-31T12:00:00Z")')
    }
  }
}

function enumNumber(name: string, { enum: desc }: ValueType, column: number): number {
  const value = desc!.values.find((other) => other.name === name)
  if (value) return value.number
  const names = desc!.values.map((other) => other.name)
  throw new InvalidFilterError(
    column,
    `there is no value "${excerpt(name)}" in ${desc!.name}.${didYouMean(name, names)} Its values are ${listNames(names)}.`,
  )
}

/** Base64 with or without padding; hexadecimal digits of any case. */
function readBytes(text: string, form: BytesForm): Uint8Array | undefined {
  if (form === 'hex') return /^0x(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text.slice(2), 'hex') : undefined
  const read = Buffer.from(text, 'base64')
  return read.toString('base64').replace(/=+$/, '') === text.replace(/={1,2}$/, '') ? read : undefined
}

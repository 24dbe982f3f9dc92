import { didYouMean } from '../nearest-name.ts'
import { type Context, countSearch } from './context.ts'
import { documentMember, documentSize, documentText } from './document.ts'
import { excerpt, InvalidFilterError, listNames } from './invalid-filter.ts'
import { convertLiteral } from './literal.ts'
import { mapEntries } from './map-entries.ts'
import { sizeOperand } from './size.ts'
import { EntrySource, unreadable } from './source.ts'
import { type CallSyntax, type IndexSyntax, type MemberSyntax, type Syntax, showSyntax } from './syntax.ts'
import { describe, type ListTerm, type LiteralTerm, type MessageTerm, type Operand, type Term } from './term.ts'
import { compareValues, parseInstant, shorten } from './value.ts'

/** @throws {InvalidFilterError} it is a condition, or there is no such field. */
export function compileTerm(syntax: Syntax, context: Context): Term {
  switch (syntax.kind) {
    case 'literal':
      return { kind: 'literal', value: syntax.value }
    case 'name':
      return named(syntax.name, syntax.column, context)
    case 'member':
      return member(syntax, context)
    case 'index':
      return indexed(syntax, context)
    case 'call':
      return called(syntax, context)
    case 'list':
      throw new InvalidFilterError(syntax.column, 'a list is allowed only on the right side of "in".')
    case 'operator':
      throw new InvalidFilterError(syntax.column, `found "${syntax.operator}" where a field or a value is expected.`)
  }
}

function named(name: string, column: number, { topic, variables }: Context): Term {
  const term = variables.get(name) ?? topic.names.get(name)
  if (term) return term
  if (topic.message.fields.some((field) => field.name === name))
    throw new InvalidFilterError(column, `there is no "${name}". The field of the message is "value.${name}".`)
  const names = [...variables.keys(), ...topic.names.keys()]
  throw new InvalidFilterError(
    column,
    `there is no "${excerpt(name)}".${didYouMean(name, names)} There are ${listNames(names)}.`,
  )
}

function member(syntax: MemberSyntax, context: Context): Term {
  const { of, name, column } = syntax
  const term = compileTerm(of, context)
  if (term.kind === 'message') return context.topic.member(term, fieldOf(term, name, column))
  if (term.kind === 'map') return entryTerm(term, { kind: 'literal', value: name }, syntax, context).value
  if (term.kind === 'document') return documentMember(term, name)
  throw new InvalidFilterError(column, `${showSyntax(of)} is ${describe(term)}, and has no fields.`)
}

export function fieldOf({ desc }: MessageTerm, name: string, column: number): MessageTerm['desc']['fields'][number] {
  const field = desc.fields.find((other) => other.name === name)
  if (field) return field
  const names = desc.fields.map((other) => other.name)
  const known = names.length === 0 ? 'It has no fields.' : `Its fields are ${listNames(names)}.`
  throw new InvalidFilterError(
    column,
    `there is no field "${excerpt(name)}" in ${desc.name}.${didYouMean(name, names)} ${known}`,
  )
}

function indexed({ of, key, column }: IndexSyntax, context: Context): Term {
  const term = compileTerm(of, context)
  if (term.kind === 'document') return documentMember(term, memberName(key, context))
  if (term.kind !== 'map')
    throw new InvalidFilterError(
      column,
      `${showSyntax(of)} is ${describe(term)}, and "[" is only for maps.${term.kind === 'list' ? ' To look at its items, use exists().' : ''}`,
    )
  const literal = compileTerm(key, context)
  if (literal.kind !== 'literal') throw new InvalidFilterError(key.column, 'the key of a map must be a literal.')
  return entryTerm(term, literal, key, context).value
}

/** The name of a member, or the place of an item from 0 on. */
function memberName(key: Syntax, context: Context): string | number {
  const literal = compileTerm(key, context)
  const value = literal.kind === 'literal' ? literal.value : undefined
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' && value >= 0n) return Number(value)
  throw new InvalidFilterError(key.column, 'the brackets contain the name of a member in quotes, or a whole number.')
}

/** The entry of a map with a key. */
export function entryTerm(
  map: ListTerm,
  literal: LiteralTerm,
  syntax: Syntax,
  context: Context,
): { readonly entry: EntrySource; readonly value: Term } {
  countSearch(context, syntax.column)
  const { topic } = context
  const { entries, entry, key } = mapEntries(map, topic)
  const wanted = convertLiteral(literal, key.type, { bytes: topic.bytes, syntax, what: 'the key' })!
  const source = new EntrySource(map.source.scope, entries, entry, () => compareValues(key.read()!, wanted) === 0)
  const id = map.id && `${map.id}[${JSON.stringify(String(literal.value))}]`
  const place = { source, slot: 0, id }
  return { entry: source, value: topic.single(place, map.desc, map.field.message!.fields[1]!) }
}

function called(syntax: CallSyntax, context: Context): Term {
  const { name, of, args, column } = syntax
  if (name === 'timestamp' && !of) return timestamp(syntax)
  if (name === 'size') {
    const argument = of ?? args[0]
    if (!argument || args.length + (of ? 1 : 0) !== 1)
      throw new InvalidFilterError(column, 'size() has one argument, as in size(value.Items).')
    const term = compileTerm(argument, context)
    if (term.kind === 'document') return documentSize(term)
    if (term.kind === 'list' || term.kind === 'map') countSearch(context, column)
    return sizeOperand(term, syntax, context)
  }
  if (name === 'int' && !of) return integer(syntax, context)
  if (isCondition(name))
    throw new InvalidFilterError(column, `${name}() is true or false by itself, and cannot be compared.`)
  throw new InvalidFilterError(
    column,
    `there is no function "${excerpt(name)}".${didYouMean(name, functions)} There are ${functions.join(', ')}.`,
  )
}

const conditions = ['has', 'exists', 'startsWith', 'endsWith', 'contains']
const functions = [...conditions, 'size', 'int', 'timestamp']
export function isCondition(name: string): boolean {
  return conditions.includes(name)
}

/** Of the decimal digits of a string. As in CEL, another text is an error. */
function integer({ args, column }: CallSyntax, context: Context): Operand {
  const argument = args.length === 1 ? compileTerm(args[0]!, context) : undefined
  const term = argument?.kind === 'document' ? documentText(argument) : argument
  if (term?.kind !== 'operand' || term.type.kind !== 'text' || term.type.texts)
    throw new InvalidFilterError(column, 'int() has one field that is a string, as in int(value.Amount) > 5.')
  const { read, scope, id } = term
  return {
    kind: 'operand',
    type: { kind: 'number', name: 'a number', nullable: false, rank: 3 },
    scope,
    read: () => {
      const text = read() as Uint8Array | null
      const digits = text && text.length <= digitLimit ? Buffer.from(text).toString('latin1') : ''
      if (!/^-?[0-9]+$/.test(digits)) throw unreadable
      return shorten(BigInt(digits))
    },
    id: id && `int(${id})`,
  }
}

/** More than 256 bits have. */
const digitLimit = 100

function timestamp({ args, column }: CallSyntax): LiteralTerm {
  const [text] = args
  if (args.length !== 1 || text!.kind !== 'literal' || typeof text!.value !== 'string')
    throw new InvalidFilterError(column, 'timestamp() has one text in quotes, as in timestamp("2026-01-31T12:00:00Z").')
  const value = parseInstant(text!.value)
  if (value) return { kind: 'literal', value }
  throw new InvalidFilterError(
    text!.column,
    `found ${showSyntax(text!)}, which is not a time of RFC 3339 such as "2026-01-31T12:00:00Z".`,
  )
}

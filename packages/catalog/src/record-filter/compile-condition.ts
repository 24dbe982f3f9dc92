import type { DescField } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { compareTerms } from './comparison.ts'
import { compileTerm, entryTerm, fieldOf, isCondition } from './compile-term.ts'
import { all, any, anyItem, type Condition, leaf, not, outcomes } from './condition.ts'
import { type Context, countSearch, refuseOuterList } from './context.ts'
import { documentItems, documentText } from './document.ts'
import { documentFlag, hasMember } from './document-condition.ts'
import { InvalidFilterError } from './invalid-filter.ts'
import { convertLiteral } from './literal.ts'
import { ItemSource } from './source.ts'
import { type CallSyntax, type Operator, type OperatorSyntax, type Syntax, showSyntax } from './syntax.ts'
import { type DocumentTerm, describe, type Operand, type Term } from './term.ts'

/** @throws {InvalidFilterError} */
export function compileCondition(syntax: Syntax, context: Context): Condition {
  const isLogical = syntax.kind === 'operator' && logicalOperators.includes(syntax.operator)
  if (context.scope.depth > 0 && !isLogical) countSearch(context, syntax.column)
  switch (syntax.kind) {
    case 'operator':
      return operation(syntax, context)
    case 'call':
      if (isCondition(syntax.name)) return called(syntax, context)
      break
    case 'literal':
      if (typeof syntax.value === 'boolean') return constant(syntax.value)
  }
  const term = compileTerm(syntax, context)
  if (term.kind === 'operand' && term.type.kind === 'bool') return flag(term, context)
  if (term.kind === 'document') return documentFlag(term, context.scope)
  throw new InvalidFilterError(
    syntax.column,
    `${showSyntax(syntax)} is ${describe(term)}, where a condition is expected. Compare it with a value, as in ${showSyntax(syntax)} == …`,
  )
}

const logicalOperators: readonly Operator[] = ['&&', '||', '!']

function operation(syntax: OperatorSyntax, context: Context): Condition {
  const { operator, operands } = syntax
  if (operator === '&&') return all(operands.map((operand) => compileCondition(operand, context)))
  if (operator === '||') return any(operands.map((operand) => compileCondition(operand, context)))
  if (operator === '!') return not(compileCondition(operands[0]!, context))
  return compareTerms(syntax, context)
}

function constant(value: boolean): Condition {
  const outcome = value ? outcomes.yes : outcomes.no
  return { test: () => outcome, scopes: new Set(), equalities: value ? undefined : [] }
}

/** Null is an error, as in CEL. */
function flag({ read, scope }: Operand, context: Context): Condition {
  return leaf([scope], context.scope, () => {
    const value = read()
    return value === null ? outcomes.error : value ? outcomes.yes : outcomes.no
  })
}

function called(syntax: CallSyntax, context: Context): Condition {
  if (syntax.name === 'has') return has(syntax, context)
  if (syntax.name === 'exists') return exists(syntax, context)
  return textTest(syntax, context)
}

function has({ args, of, column }: CallSyntax, context: Context): Condition {
  const [argument] = args
  if (of || args.length !== 1 || argument!.kind !== 'member')
    throw new InvalidFilterError(column, 'has() has one field, as in has(value.Name).')
  const term = compileTerm(argument!.of, context)
  if (term.kind === 'document') return hasMember(term, argument!.name, context.scope)
  const { scope } = 'source' in term ? term.source : context
  if (term.kind === 'map') {
    const { entry } = entryTerm(term, { kind: 'literal', value: argument!.name }, argument!, context)
    return leaf([scope], context.scope, () => (entry.find() ? outcomes.yes : outcomes.no))
  }
  if (term.kind !== 'message')
    throw new InvalidFilterError(
      argument!.column,
      `${showSyntax(argument!.of)} is ${describe(term)}, and has no fields.`,
    )
  const field = fieldOf(term, argument!.name, argument!.column)
  const isSet = presence(context.topic.member(term, field), field, term, context)
  return leaf([scope], context.scope, () => (isSet() ? outcomes.yes : outcomes.no))
}

/** As in CEL, a field without presence is set if it is not zero or empty. */
function presence(
  term: Term,
  desc: DescField,
  of: Extract<Term, { kind: 'message' }>,
  { topic }: Context,
): () => boolean {
  if (term.kind === 'list') {
    const items = new ItemSource(term, term.field, 0, topic.reader)
    return () => {
      items.start()
      return items.next()
    }
  }
  const source = topic.sourceOf(of, of.table)
  const index = of.desc.fields.indexOf(desc)
  const place = { source, slot: source.slotOf(index), id: undefined }
  if (term.kind === 'operand' && desc.presence === FeatureSet_FieldPresence.IMPLICIT) {
    const { read } = topic.scalar(place, desc, of.table.fields[index]!)
    return () => {
      const value = read()
      // A double of -0 is set.
      return value instanceof Uint8Array ? value.length > 0 : value !== false && !Object.is(value, 0)
    }
  }
  return () => {
    source.load()
    return source.places[place.slot] !== 0
  }
}

function exists({ of, args, column }: CallSyntax, context: Context): Condition {
  const [variable, body] = args
  if (!of || args.length !== 2 || variable!.kind !== 'name')
    throw new InvalidFilterError(
      column,
      'exists() has a name and a condition, as in value.Items.exists(item, item.Price > 5).',
    )
  const list = compileTerm(of, context)
  if (list.kind === 'document') return existsInDocument(list, variable!.name, { body: body!, of, column }, context)
  if (list.kind !== 'list')
    throw new InvalidFilterError(column, `${showSyntax(of)} is ${describe(list)}, and exists() is for lists.`)
  countSearch(context, column)
  const items = new ItemSource(list, list.field, context.scope.depth + 1, context.topic.reader)
  const item = context.topic.single({ source: items, slot: 0, id: undefined }, list.desc, list.field)
  const variables = new Map([...context.variables, [variable!.name, item]])
  const condition = compileCondition(body!, { ...context, variables, scope: items.scope })
  const scopes = [...condition.scopes].filter((scope) => scope !== items.scope)
  refuseOuterList(list.source.scope, scopes, of, context)
  const { test } = condition
  return leaf([list.source.scope, ...scopes], context.scope, () => anyItem(items, test))
}

interface ExistsSyntax {
  readonly body: Syntax
  readonly of: Syntax
  readonly column: number
}

function existsInDocument(list: DocumentTerm, variable: string, syntax: ExistsSyntax, context: Context): Condition {
  const { body, of, column } = syntax
  countSearch(context, column)
  const { item, ...items } = documentItems(list, context.scope.depth + 1)
  const variables = new Map([...context.variables, [variable, item as Term]])
  const condition = compileCondition(body, { ...context, variables, scope: item.scope })
  const scopes = [...condition.scopes].filter((scope) => scope !== item.scope)
  refuseOuterList(list.scope, scopes, of, context)
  return leaf([list.scope, ...scopes], context.scope, () => anyItem(items, condition.test))
}

function textTest({ name, of, args, column }: CallSyntax, context: Context): Condition {
  if (!of || args.length !== 1)
    throw new InvalidFilterError(column, `${name}() has one text, as in value.Name.${name}("a").`)
  const found = compileTerm(of, context)
  const term = found.kind === 'document' ? documentText(found) : found
  if (term.kind !== 'operand' || !(term.place || found.kind === 'document'))
    throw new InvalidFilterError(
      column,
      `${showSyntax(of)} is ${describe(term)}, and ${name}() is for strings and bytes.`,
    )
  const argument = compileTerm(args[0]!, context)
  if (argument.kind !== 'literal')
    throw new InvalidFilterError(args[0]!.column, `the argument of ${name}() must be a literal.`)
  const { bytes } = context.topic
  const place = { bytes, syntax: args[0]!, what: showSyntax(of) }
  const part = convertLiteral(argument, { ...term.type, nullable: false }, place) as Uint8Array
  if (name === 'contains' && part.length > partLimit)
    throw new InvalidFilterError(
      args[0]!.column,
      `contains() looks for at most ${partLimit} bytes, and this has ${part.length}.`,
    )
  const holds = textTests[name as keyof typeof textTests]
  const { read, scope } = term
  return leaf([scope], context.scope, () => {
    const text = read() as Uint8Array | null
    return text === null ? outcomes.error : holds(text, part) ? outcomes.yes : outcomes.no
  })
}

/** In bytes. Searching for more can take much longer. */
const partLimit = 128

const textTests = {
  startsWith: (text: Uint8Array, part: Uint8Array) => isAt(text, 0, part),
  endsWith: (text: Uint8Array, part: Uint8Array) => isAt(text, text.length - part.length, part),
  contains: (text: Uint8Array, part: Uint8Array) => asBuffer(text).includes(asBuffer(part)),
}

function isAt(text: Uint8Array, at: number, part: Uint8Array): boolean {
  if (at < 0 || at + part.length > text.length) return false
  for (let index = 0; index < part.length; index++) if (text[at + index] !== part[index]) return false
  return true
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

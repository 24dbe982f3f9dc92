import { compileTerm } from './compile-term.ts'
import { type Condition, type Equality, leaf, type Outcome, outcomes, type Test } from './condition.ts'
import { type Context, countSearch, refuseOuterList } from './context.ts'
import { InvalidFilterError } from './invalid-filter.ts'
import { convertLiteral } from './literal.ts'
import { mapEntries } from './map-entries.ts'
import { type Read, rememberedRead } from './operand.ts'
import { ItemSource, type Place } from './source.ts'
import { type OperatorSyntax, type Relation, type Syntax, showSyntax } from './syntax.ts'
import { describe, type ListTerm, type LiteralTerm, type Operand, type Term } from './term.ts'
import { compareValues, type Value } from './value.ts'
import { createHash, hashOf } from './value-hash.ts'

/** @throws {InvalidFilterError} the sides cannot be compared. */
export function compareTerms(syntax: OperatorSyntax, context: Context): Condition {
  const [left, right] = syntax.operands as readonly [Syntax, Syntax]
  if (syntax.operator === 'in') return isIn(left, right, context)
  const relation = syntax.operator as Exclude<Relation, 'in'>
  const one = compileTerm(left, context)
  const other = compileTerm(right, context)
  if (one.kind === 'literal' && other.kind === 'literal')
    throw new InvalidFilterError(
      syntax.column,
      'both sides are constants. Compare a field, such as value.Name, with a value.',
    )
  if (one.kind === 'literal')
    return withLiteral(mirrored[relation], operandOf(other, right), one, { left: right, right: left, context })
  if (other.kind === 'literal') return withLiteral(relation, operandOf(one, left), other, { left, right, context })
  return withOperand(relation, operandOf(one, left), operandOf(other, right), { left, right, context })
}

interface Sides {
  readonly left: Syntax
  readonly right: Syntax
  readonly context: Context
}

const mirrored = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

function operandOf(term: Term, syntax: Syntax): Operand {
  if (term.kind === 'operand') return term
  const advice =
    term.kind === 'list'
      ? 'Look at its items with exists() or "in".'
      : term.kind === 'opaque'
        ? 'It can only be tested with has().'
        : 'Compare one of its fields.'
  throw new InvalidFilterError(
    syntax.column,
    `${showSyntax(syntax)} is ${describe(term)}, which cannot be compared. ${advice}`,
  )
}

function withLiteral(
  relation: Exclude<Relation, 'in'>,
  operand: Operand,
  literal: LiteralTerm,
  sides: Sides,
): Condition {
  const { left, right, context } = sides
  const what = showSyntax(left)
  const isOrdered = relation !== '==' && relation !== '!='
  const type = { ...operand.type, nullable: operand.type.nullable && !isOrdered }
  if (isOrdered) requireOrder(operand, left, literal)
  const value = convertLiteral(literal, type, { bytes: context.topic.bytes, syntax: right, what })
  const { scope } = operand
  const test = isOrdered ? comparison(relation, operand.read, () => value) : equals(operand, value, relation === '==')
  return leaf(
    [scope],
    context.scope,
    test,
    relation === '==' && value !== null ? equality(operand, [value]) : undefined,
  )
}

function equals(operand: Operand, value: Value | null, wanted: boolean): Test {
  const { place, type, read } = operand
  const [yes, no] = wanted ? [outcomes.yes, outcomes.no] : [outcomes.no, outcomes.yes]
  // Without an object for the bytes of each record. A value that is null is no empty one.
  if (place && value instanceof Uint8Array && !(type.nullable && value.length === 0))
    return () => (isSpan(place, value) ? yes : no)
  if (value === null || type.nullable || typeof value === 'object')
    return comparison(wanted ? '==' : '!=', read, () => value)
  return () => (compareValues(read()!, value) === 0 ? yes : no)
}

function isSpan({ source, slot }: Place, wanted: Uint8Array): boolean {
  source.load()
  const { bytes, places } = source
  const { length } = wanted
  const start = places[slot]! - 1
  if (start === -1) return length === 0
  if (places[slot + 1]! - start !== length) return false
  for (let index = 0; index < length; index++) if (bytes[start + index] !== wanted[index]) return false
  return true
}

function equality(operand: Operand, values: readonly Value[]): Equality[] | undefined {
  const { id, type } = operand
  return id === undefined || type.rank === 0 ? undefined : values.map((value) => ({ operand, value }))
}

function requireOrder({ type }: Operand, syntax: Syntax, literal?: LiteralTerm): void {
  if (type.kind === 'bool' || type.texts || (type.enum && typeof literal?.value === 'string'))
    throw new InvalidFilterError(
      syntax.column,
      `${showSyntax(syntax)} is ${type.name}, and has no order. Use "==", "!=" or "in".`,
    )
}

function withOperand(
  relation: Exclude<Relation, 'in'>,
  one: Operand,
  other: Operand,
  { left, right, context }: Sides,
): Condition {
  if (one.type.kind !== other.type.kind)
    throw new InvalidFilterError(
      right.column,
      `${showSyntax(left)} is ${one.type.name}, and is compared with ${showSyntax(right)}, which is ${other.type.name}.`,
    )
  if (relation !== '==' && relation !== '!=') requireOrder(one, left)
  const test = comparison(relation, readIn(one, context), readIn(other, context))
  return leaf([one.scope, other.scope], context.scope, test)
}

/** An operand that does not depend on the innermost variable is read once, not for each item. */
function readIn({ read, scope }: Operand, context: Context): Read {
  return scope.depth < context.scope.depth ? rememberedRead(read, scope) : read
}

function comparison(relation: Exclude<Relation, 'in'>, one: Read, other: Read): Test {
  const holds = relationTests[relation]
  const isEquality = relation === '==' || relation === '!='
  return () => {
    const left = one()
    const right = other()
    if (left === null || right === null) {
      if (!isEquality) return outcomes.error
      return (left === right) === (relation === '==') ? outcomes.yes : outcomes.no
    }
    return holds(compareValues(left, right)) ? outcomes.yes : outcomes.no
  }
}

const relationTests: Readonly<Record<Exclude<Relation, 'in'>, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

function isIn(left: Syntax, right: Syntax, context: Context): Condition {
  const term = compileTerm(left, context)
  if (right.kind === 'list') return isInLiterals(operandOf(term, left), left, right.items, context)
  const list = compileTerm(right, context)
  if (list.kind !== 'list' && list.kind !== 'map')
    throw new InvalidFilterError(
      right.column,
      `${showSyntax(right)} is ${describe(list)}. The right side of "in" is a list, such as ["a", "b"], or a repeated field or a map.`,
    )
  countSearch(context, right.column)
  const { items, element } = elementOf(list, right, context)
  const { read, scope } = sought(term, element, { left, right, context })
  refuseOuterList(list, [scope], right, context)
  const test = comparison('==', element.read, read)
  return leaf([scope, list.source.scope], context.scope, () => {
    let outcome: Outcome = outcomes.no
    for (items.start(); items.next(); ) {
      const found = test()
      if (found === outcomes.yes) return found
      if (found === outcomes.error) outcome = found
    }
    return outcome
  })
}

interface Elements {
  readonly items: ItemSource
  readonly element: Operand
}

/** The items of a list, or the keys of a map. */
function elementOf(list: ListTerm, syntax: Syntax, context: Context): Elements {
  if (list.kind === 'map') {
    const { entries, key } = mapEntries(list, context.topic)
    return { items: entries, element: key }
  }
  const items = new ItemSource(list, list.field, 0, context.topic.reader)
  const element = context.topic.single({ source: items, slot: 0, id: undefined }, list.desc, list.field)
  if (element.kind === 'operand') return { items, element }
  throw new InvalidFilterError(
    syntax.column,
    `${showSyntax(syntax)} is a list of messages. Look at its items with exists().`,
  )
}

function sought(term: Term, element: Operand, { left, right, context }: Sides): Pick<Operand, 'read' | 'scope'> {
  const what = `an item of ${showSyntax(right)}`
  if (term.kind === 'literal') {
    const value = convertLiteral(term, element.type, { bytes: context.topic.bytes, syntax: left, what })
    return { read: () => value, scope: context.topic.record.scope }
  }
  const operand = operandOf(term, left)
  if (operand.type.kind === element.type.kind) return { ...operand, read: rememberedRead(operand.read, operand.scope) }
  throw new InvalidFilterError(
    left.column,
    `${showSyntax(left)} is ${operand.type.name}, and ${what} is ${element.type.name}.`,
  )
}

function isInLiterals(operand: Operand, left: Syntax, items: readonly Syntax[], context: Context): Condition {
  const values = items.map((item) => {
    const literal = compileTerm(item, context)
    if (literal.kind !== 'literal')
      throw new InvalidFilterError(
        item.column,
        'the items of a list must be literals. To compare with a field, write "==" and "||".',
      )
    const { bytes } = context.topic
    return convertLiteral(literal, operand.type, { bytes, syntax: item, what: showSyntax(left) })
  })
  const wanted = values.filter((value) => value !== null)
  const test = isOneOf(operand, wanted, wanted.length < values.length)
  return leaf(
    [operand.scope],
    context.scope,
    test,
    wanted.length === values.length ? equality(operand, wanted) : undefined,
  )
}

function isOneOf(operand: Operand, values: readonly Value[], orNull: boolean): Test {
  const byHash = Map.groupBy(values, hashOf)
  const hash = createHash(operand)
  const { read } = operand
  return () => {
    const found = hash()
    if (found === undefined) return orNull ? outcomes.yes : outcomes.no
    const candidates = byHash.get(found)
    if (!candidates) return outcomes.no
    const value = read()!
    return candidates.some((other) => compareValues(value, other) === 0) ? outcomes.yes : outcomes.no
  }
}

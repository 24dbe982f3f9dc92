import { comparisonTest } from './compare-operands.ts'
import { compileTerm } from './compile-term.ts'
import { anyItem, type Condition, equalitiesOf, leaf, outcomes, type Test } from './condition.ts'
import { type Context, countSearch, refuseOuterList, type Sides } from './context.ts'
import { isInDocument, isOneOfLiterals } from './document-condition.ts'
import { InvalidFilterError } from './invalid-filter.ts'
import { convertLiteral } from './literal.ts'
import { mapEntries } from './map-entries.ts'
import { rememberedRead } from './operand.ts'
import { ItemSource } from './source.ts'
import { type Syntax, showSyntax } from './syntax.ts'
import { describe, type ListTerm, type LiteralTerm, type Operand, requireOperand, type Term } from './term.ts'
import { compareValues, type Value } from './value.ts'
import { createHash, hashOf } from './value-hash.ts'

/** `left in right` */
export function membership(left: Syntax, right: Syntax, context: Context): Condition {
  const term = compileTerm(left, context)
  if (right.kind === 'list') {
    if (term.kind === 'document')
      return isOneOfLiterals(
        term,
        right.items.map((item) => requireLiteral(item, context)),
        context,
      )
    return isInLiterals(requireOperand(term, left), left, right.items, context)
  }
  const list = compileTerm(right, context)
  if (list.kind === 'document') {
    countSearch(context, right.column)
    const sought = term.kind === 'document' || term.kind === 'literal' ? term : requireOperand(term, left)
    return isInDocument(sought, list, context)
  }
  if (list.kind !== 'list' && list.kind !== 'map')
    throw new InvalidFilterError(
      right.column,
      `${showSyntax(right)} is ${describe(list)}. The right side of "in" is a list, such as ["a", "b"], or a repeated field or a map.`,
    )
  countSearch(context, right.column)
  const { items, element } = elementOf(list, right, context)
  const { read, scope } = sought(term, element, { left, right, context })
  refuseOuterList(list.source.scope, [scope], right, context)
  const test = comparisonTest('==', element.read, read)
  return leaf([scope, list.source.scope], context.scope, () => anyItem(items, test))
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
  const operand = requireOperand(term, left)
  if (operand.type.kind === element.type.kind) return { ...operand, read: rememberedRead(operand.read, operand.scope) }
  throw new InvalidFilterError(
    left.column,
    `${showSyntax(left)} is ${operand.type.name}, and ${what} is ${element.type.name}.`,
  )
}

function isInLiterals(operand: Operand, left: Syntax, items: readonly Syntax[], context: Context): Condition {
  const values = items.map((item) => {
    const literal = requireLiteral(item, context)
    const { bytes } = context.topic
    return convertLiteral(literal, operand.type, { bytes, syntax: item, what: showSyntax(left) })
  })
  const wanted = values.filter((value) => value !== null)
  const test = isOneOf(operand, wanted, wanted.length < values.length)
  return leaf(
    [operand.scope],
    context.scope,
    test,
    wanted.length === values.length ? equalitiesOf(operand, wanted) : undefined,
  )
}

function requireLiteral(item: Syntax, context: Context): LiteralTerm {
  const literal = compileTerm(item, context)
  if (literal.kind === 'literal') return literal
  throw new InvalidFilterError(
    item.column,
    'the items of a list must be literals. To compare with a field, write "==" and "||".',
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

import { type Comparison, relationTests } from './compare-operands.ts'
import { type Condition, equalitiesOf, leaf, type Outcome, outcomes, type Test } from './condition.ts'
import type { Context } from './context.ts'
import { documentOperand } from './document.ts'
import { isJsonObject, type Json } from './json.ts'
import type { Read } from './operand.ts'
import { type Scope, unreadable } from './source.ts'
import type { DocumentTerm, LiteralTerm, Operand } from './term.ts'
import { compareValues, type Instant, parseInstant, shorten, type Value } from './value.ts'

/** As in CEL, `has` of a member of something that is not an object is an error. */
export function hasMember({ scope, get }: DocumentTerm, name: string, current: Scope): Condition {
  return leaf([scope], current, () => {
    const value = get()
    if (!isJsonObject(value)) return outcomes.error
    return Object.hasOwn(value, name) ? outcomes.yes : outcomes.no
  })
}

/** What one side of a comparison with a document is. */
export type Comparable = DocumentTerm | Operand | LiteralTerm

/** Values of different kinds are not equal, and have no order. */
export function compareDocuments(
  relation: Comparison,
  one: Comparable,
  other: Comparable,
  context: Context,
): Condition {
  const [left, right] = [readOf(one, other), readOf(other, one)]
  const holds = relationTests[relation]
  const isEquality = relation === '==' || relation === '!='
  const test: Test = () => {
    const [found, wanted] = [left(), right()]
    if (isEquality && !isSameKind(found, wanted)) return relation === '!=' ? outcomes.yes : outcomes.no
    if (found === null || wanted === null) return isEquality ? toOutcome(relation === '==') : outcomes.error
    if (!isSameKind(found, wanted) || (!isEquality && typeof found === 'boolean')) return outcomes.error
    return toOutcome(holds(compareValues(found, wanted)))
  }
  const equalities = relation === '==' ? (equality(one, other) ?? equality(other, one)) : undefined
  return leaf(scopesOf(one, other), context.scope, test, equalities)
}

function toOutcome(holds: boolean): Outcome {
  return holds ? outcomes.yes : outcomes.no
}

function isSameKind(one: Value | null, other: Value | null): boolean {
  return kindOf(one) === kindOf(other)
}

function kindOf(value: Value | null): string {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return 'text'
  return typeof value === 'bigint' ? 'number' : typeof value
}

function equality(document: Comparable, literal: Comparable): Condition['equalities'] {
  if (document.kind !== 'document' || literal.kind !== 'literal') return undefined
  const value = toValue(literal)
  return value === null || isInstant(value) ? undefined : equalitiesOf(documentOperand(document), [value])
}

function scopesOf(...sides: readonly Comparable[]): Scope[] {
  return sides.flatMap((side) => (side.kind === 'literal' ? [] : [side.scope]))
}

/** A text that is compared with a time must be one. */
function readOf(side: Comparable, other: Comparable): Read {
  if (side.kind === 'operand') return side.read
  if (side.kind === 'literal') {
    const value = toValue(side)
    return () => value
  }
  const isTime =
    other.kind === 'literal' ? isInstant(toValue(other)) : other.kind === 'operand' && other.type.kind === 'time'
  return isTime ? () => readInstant(side) : documentOperand(side).read
}

function readInstant({ get }: DocumentTerm): Instant {
  const value = get()
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  if (!instant) throw unreadable
  return instant
}

function toValue({ value }: LiteralTerm): Value | null {
  if (typeof value === 'string') return Buffer.from(value)
  return typeof value === 'bigint' ? shorten(value) : value
}

function isInstant(value: Value | null): value is Instant {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

/** `sought in document`: an item of a list, or the name of a member. */
export function isInDocument(sought: Comparable, document: DocumentTerm, context: Context): Condition {
  const read = readOf(sought, document)
  return leaf(scopesOf(sought, document), context.scope, () => {
    const value = document.get()
    const wanted = read()
    if (isJsonObject(value))
      return toOutcome(wanted instanceof Uint8Array && Object.hasOwn(value, Buffer.from(wanted).toString()))
    if (!Array.isArray(value)) return outcomes.error
    return toOutcome(value.some((item: Json) => isEqual(item, wanted)))
  })
}

function isEqual(item: Json, wanted: Value | null): boolean {
  if (typeof item === 'string') return wanted instanceof Uint8Array && compareValues(Buffer.from(item), wanted) === 0
  if (item === null || wanted === null) return item === wanted
  if (typeof item === 'object') return false
  return isSameKind(item, wanted) && compareValues(item, wanted) === 0
}

/** `document in [literals]` */
export function isOneOfLiterals(document: DocumentTerm, literals: readonly LiteralTerm[], context: Context): Condition {
  const values = literals.map(toValue)
  const operand = documentOperand(document)
  const isIndexed = values.every((value) => value !== null && !isInstant(value))
  const equalities = isIndexed ? equalitiesOf(operand, values as Value[]) : undefined
  return leaf(
    [document.scope],
    context.scope,
    () => {
      const value = document.get()
      return toOutcome(values.some((wanted) => isEqual(value, wanted)))
    },
    equalities,
  )
}

/** True, false, or an error. */
export function documentFlag({ scope, get }: DocumentTerm, current: Scope): Condition {
  return leaf([scope], current, () => {
    const value = get()
    return typeof value === 'boolean' ? toOutcome(value) : outcomes.error
  })
}

import { type Comparison, comparisonTest, constantTest } from './compare-operands.ts'
import { compileTerm } from './compile-term.ts'
import { type Condition, equalitiesOf, leaf } from './condition.ts'
import type { Context, Sides } from './context.ts'
import { type Comparable, compareDocuments } from './document-condition.ts'
import { InvalidFilterError } from './invalid-filter.ts'
import { convertLiteral } from './literal.ts'
import { membership } from './membership.ts'
import { type Read, rememberedRead } from './operand.ts'
import { type OperatorSyntax, type Syntax, showSyntax } from './syntax.ts'
import { type LiteralTerm, type Operand, requireOperand, type Term } from './term.ts'

/** @throws {InvalidFilterError} the sides cannot be compared. */
export function compareTerms(syntax: OperatorSyntax, context: Context): Condition {
  const [left, right] = syntax.operands as readonly [Syntax, Syntax]
  if (syntax.operator === 'in') return membership(left, right, context)
  const relation = syntax.operator as Comparison
  const one = compileTerm(left, context)
  const other = compileTerm(right, context)
  if (one.kind === 'literal' && other.kind === 'literal')
    throw new InvalidFilterError(
      syntax.column,
      'both sides are constants. Compare a field, such as value.Name, with a value.',
    )
  if (one.kind === 'document') return compareDocuments(relation, one, comparable(other, right), context)
  if (other.kind === 'document') return compareDocuments(relation, comparable(one, left), other, context)
  if (one.kind === 'literal')
    return withLiteral(mirrored[relation], requireOperand(other, right), one, { left: right, right: left, context })
  if (other.kind === 'literal') return withLiteral(relation, requireOperand(one, left), other, { left, right, context })
  return withOperand(relation, requireOperand(one, left), requireOperand(other, right), { left, right, context })
}

function comparable(term: Term, syntax: Syntax): Comparable {
  return term.kind === 'document' || term.kind === 'literal' ? term : requireOperand(term, syntax)
}

const mirrored = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

function withLiteral(relation: Comparison, operand: Operand, literal: LiteralTerm, sides: Sides): Condition {
  const { left, right, context } = sides
  const what = showSyntax(left)
  const isOrdered = relation !== '==' && relation !== '!='
  const type = { ...operand.type, nullable: operand.type.nullable && !isOrdered }
  if (isOrdered) requireOrder(operand, left, literal)
  const value = convertLiteral(literal, type, { bytes: context.topic.bytes, syntax: right, what })
  const equalities = relation === '==' && value !== null ? equalitiesOf(operand, [value]) : undefined
  return leaf([operand.scope], context.scope, constantTest(relation, operand, value), equalities)
}

function requireOrder({ type }: Operand, syntax: Syntax, literal?: LiteralTerm): void {
  if (type.kind === 'bool' || type.texts || (type.enum && typeof literal?.value === 'string'))
    throw new InvalidFilterError(
      syntax.column,
      `${showSyntax(syntax)} is ${type.name}, and has no order. Use "==", "!=" or "in".`,
    )
}

function withOperand(relation: Comparison, one: Operand, other: Operand, { left, right, context }: Sides): Condition {
  if (one.type.kind !== other.type.kind)
    throw new InvalidFilterError(
      right.column,
      `${showSyntax(left)} is ${one.type.name}, and is compared with ${showSyntax(right)}, which is ${other.type.name}.`,
    )
  if (relation !== '==' && relation !== '!=') requireOrder(one, left)
  const test = comparisonTest(relation, readIn(one, context), readIn(other, context))
  return leaf([one.scope, other.scope], context.scope, test)
}

/** An operand that does not depend on the innermost variable is read once, not for each item. */
function readIn({ read, scope }: Operand, context: Context): Read {
  return scope.depth < context.scope.depth ? rememberedRead(read, scope) : read
}

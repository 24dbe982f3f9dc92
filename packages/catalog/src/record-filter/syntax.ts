import { excerpt } from './invalid-filter.ts'

/** A syntax tree of CEL. Columns count from 1. */
export type Syntax = LiteralSyntax | NameSyntax | MemberSyntax | IndexSyntax | CallSyntax | OperatorSyntax | ListSyntax

interface Located {
  readonly column: number
}

/** An integer is a bigint, and a double is a number. */
export type LiteralValue = string | bigint | number | boolean | Uint8Array | null

export interface LiteralSyntax extends Located {
  readonly kind: 'literal'
  readonly value: LiteralValue
}

export interface NameSyntax extends Located {
  readonly kind: 'name'
  readonly name: string
}

/** `of.name` */
export interface MemberSyntax extends Located {
  readonly kind: 'member'
  readonly of: Syntax
  readonly name: string
}

/** `of[key]` */
export interface IndexSyntax extends Located {
  readonly kind: 'index'
  readonly of: Syntax
  readonly key: Syntax
}

/** `name(args)` or `of.name(args)`. The column is that of the name. */
export interface CallSyntax extends Located {
  readonly kind: 'call'
  readonly name: string
  readonly of: Syntax | undefined
  readonly args: readonly Syntax[]
}

export type Operator = '!' | '-' | '&&' | '||' | Relation
export const relations = ['==', '!=', '<', '<=', '>', '>=', 'in'] as const
export type Relation = (typeof relations)[number]

/** `&&` and `||` have two operands or more, `!` and `-` one, the others two. */
export interface OperatorSyntax extends Located {
  readonly kind: 'operator'
  readonly operator: Operator
  readonly operands: readonly Syntax[]
}

export interface ListSyntax extends Located {
  readonly kind: 'list'
  readonly items: readonly Syntax[]
}

/** In CEL. Equal for equal trees. */
export function formatSyntax(syntax: Syntax): string {
  switch (syntax.kind) {
    case 'literal':
      return formatLiteral(syntax.value)
    case 'name':
      return syntax.name
    case 'member':
      return `${formatOperand(syntax.of)}.${syntax.name}`
    case 'index':
      return `${formatOperand(syntax.of)}[${formatSyntax(syntax.key)}]`
    case 'call':
      return `${syntax.of ? `${formatOperand(syntax.of)}.` : ''}${syntax.name}(${formatAll(syntax.args, ', ')})`
    case 'list':
      return `[${formatAll(syntax.items, ', ')}]`
    case 'operator': {
      const operands = syntax.operands.map(formatOperand)
      return operands.length === 1 ? `${syntax.operator}${operands[0]}` : operands.join(` ${syntax.operator} `)
    }
  }
}

/** For a message. */
export function showSyntax(syntax: Syntax): string {
  return excerpt(formatSyntax(syntax))
}

function formatAll(syntaxes: readonly Syntax[], separator: string): string {
  return syntaxes.map(formatSyntax).join(separator)
}

function formatOperand(syntax: Syntax): string {
  return syntax.kind === 'operator' ? `(${formatSyntax(syntax)})` : formatSyntax(syntax)
}

function formatLiteral(value: LiteralValue): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof Uint8Array) return `b"${Array.from(value, (byte) => hexEscape(byte)).join('')}"`
  if (typeof value === 'number') return Number.isInteger(value) ? value.toExponential() : String(value)
  return String(value)
}

/** Only escapes that CEL and JSON have in common. */
function quote(text: string): string {
  return JSON.stringify(text)
}

function hexEscape(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`
}

import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf'
import type { FieldTable, MessageTable } from '../record-json/message-table.ts'
import { InvalidFilterError } from './invalid-filter.ts'
import type { Json } from './json.ts'
import type { Read } from './operand.ts'
import type { MessageParent, Place, Scope } from './source.ts'
import { type LiteralValue, type Syntax, showSyntax } from './syntax.ts'
import type { Instant, ValueKind } from './value.ts'

/** A part of a filter that is not a condition. */
export type Term = Operand | MessageTerm | ListTerm | DocumentTerm | OpaqueTerm | LiteralTerm

/** A single value of the record. */
export interface Operand {
  readonly kind: 'operand'
  readonly type: ValueType
  readonly scope: Scope
  readonly read: Read
  /** Of text or bytes. */
  readonly place?: Place
  /** Equal for operands that read the same value. Only of operands that depend on nothing but the record. */
  readonly id: string | undefined
}

export interface ValueType {
  readonly kind: ValueKind
  /** With its article, for messages: `a string`. */
  readonly name: string
  /** Whether there may be no value. */
  readonly nullable: boolean
  readonly enum?: DescEnum
  /** All texts that it can be. */
  readonly texts?: readonly string[]
  /** Prefers fields with more different values for the index of filters; 0: not indexed. */
  readonly rank: number
}

export interface MessageTerm extends MessagePlace {
  readonly kind: 'message'
  readonly desc: DescMessage
  readonly table: MessageTable
}

/** Of a message, or of an item or entry that is one. */
export interface MessagePlace {
  readonly source: MessageParent
  readonly slot: number
  readonly id: string | undefined
}

/** A list or a map. */
export interface ListTerm extends MessagePlace {
  readonly kind: 'list' | 'map'
  readonly desc: DescField & { readonly fieldKind: 'list' | 'map' }
  readonly field: FieldTable
}

/** A JSON value, whose kind is known only when it is read. */
export interface DocumentTerm {
  readonly kind: 'document'
  readonly scope: Scope
  /** As that of an operand. */
  readonly id: string | undefined
  /** @throws {MalformedMessageError} there is no such value, or it cannot be read. */
  get(): Json
}

/** A value that has no literal. */
export interface OpaqueTerm {
  readonly kind: 'opaque'
  readonly name: string
}

export interface LiteralTerm {
  readonly kind: 'literal'
  readonly value: LiteralValue | Instant
}

/** With its article. */
export function describe(term: Term): string {
  switch (term.kind) {
    case 'operand':
      return term.type.name
    case 'message':
      return `a message (${term.desc.name})`
    case 'list':
      return 'a list'
    case 'map':
      return 'a map'
    case 'document':
      return 'a JSON value'
    case 'opaque':
      return `of the type ${term.name}`
    case 'literal':
      return 'a value'
  }
}

/** @throws {InvalidFilterError} it cannot be compared. */
export function requireOperand(term: Term, syntax: Syntax): Operand {
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

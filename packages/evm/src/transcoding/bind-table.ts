import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { UserError } from '@headrace/sdk'
import type { Members } from './answer-scanner.ts'
import {
  type Field,
  type Measure,
  type MessageTable,
  type SharedName,
  sharedNames,
  type TextKind,
} from './message-table.ts'

/** A table with the fields that a .proto declares. */
export interface BoundTable extends Pick<MessageTable, 'label' | 'members'> {
  readonly required: readonly number[]
  /** In the order of their numbers. */
  readonly rows: readonly Row[]
}

/** A field as it is written. All rows have the same members, so that the loop over them is fast. */
export interface Row {
  readonly kind: RowKind
  readonly tag: number
  /** Indexes of the member and of the one that is used if it is absent; of a shared field, its index. */
  readonly member: number
  readonly otherwise: number
  /** Whether it is also written if it is 0 or empty. */
  readonly isKept: boolean
  /** Otherwise it is only checked. */
  readonly isPublished: boolean
  readonly measure: Measure | undefined
  readonly nested: BoundTable | undefined
}

export type RowKind = Exclude<TextKind, `${string}?`> | 'shared' | 'length' | 'measure' | 'nested'

/**
 * Without a descriptor, all fields of the table are published.
 *
 * @throws {UserError} `schema_mismatch`: the .proto declares another type of a field, or a field that is not in the table.
 */
export function bindTable(table: MessageTable, descriptor?: DescMessage): BoundTable {
  const { label, members, fields } = table
  const declared = new Map(descriptor?.fields.map((field) => [field.name, field]))
  for (const field of declared.values()) checkDeclaration(table, field)
  const rows = fields.map((field) => bindField(members, field, descriptor && (declared.get(field[1]) ?? null)))
  rows.sort((one, other) => one.tag - other.tag)
  return { label, members, required: table.required.map((name) => members.names.indexOf(name)), rows }
}

function checkDeclaration({ fields }: MessageTable, declaration: DescField): void {
  const field = fields.find(([, name]) => name === declaration.name)
  if (!field)
    throw mismatch(declaration, 'an EVM source has no such field. Remove it, or map blocks to messages yourself')
  const [found, expected] = [declaredType(declaration), protobufType(field)]
  if (found !== expected) throw mismatch(declaration, `it is ${found}, and must be ${expected}`)
}

/** @param declaration `null`: the .proto does not have the field. */
function bindField(members: Members, field: Field, declaration: DescField | null | undefined): Row {
  const [number, , kind, member, otherwise] = field
  const indexOf = (name: string | undefined) => members.names.indexOf(name!)
  const index = kind === 'shared' ? sharedNames.indexOf(member as SharedName) : indexOf(member)
  return {
    kind: rowKind(kind),
    tag: ((declaration?.number ?? number) << 3) | wireTypes[protobufType(field)],
    member: index,
    otherwise: otherwise === undefined ? index : indexOf(otherwise),
    isKept: declaration
      ? declaration.presence === FeatureSet_FieldPresence.EXPLICIT
      : typeof kind === 'string' && kind.endsWith('?'),
    isPublished: declaration !== null,
    measure: typeof kind === 'function' ? kind(members) : undefined,
    nested: typeof kind === 'object' ? bindTable(kind, declaration?.message) : undefined,
  }
}

function rowKind(kind: Field[2]): RowKind {
  if (typeof kind === 'function') return 'measure'
  return typeof kind === 'object' ? 'nested' : (kind.replace('?', '') as RowKind)
}

const protobufTypes = {
  time: 'google.protobuf.Timestamp',
  blockNumber: 'uint64',
  blockHash: 'string',
  transactionHash: 'string',
  transactionIndex: 'uint32',
  uint64: 'uint64',
  uint32: 'uint32',
  length: 'uint32',
  measure: 'double',
  bytes: 'bytes',
  exact: 'bytes',
  integer: 'bytes',
  address: 'bytes',
  hash: 'string',
  'bytes[]': 'repeated bytes',
  'word[]': 'repeated bytes',
  nested: 'repeated message',
} as const satisfies Record<SharedName | Exclude<RowKind, 'shared'>, string>

type ProtobufType = (typeof protobufTypes)[keyof typeof protobufTypes]

function protobufType([, , kind, member]: Field): ProtobufType {
  const name = rowKind(kind)
  return protobufTypes[name === 'shared' ? (member as SharedName) : name]
}

function declaredType(declaration: DescField): string {
  const { fieldKind, scalar, message } = declaration
  if (fieldKind === 'list') return `repeated ${scalar ? nameOf(scalar) : declaration.listKind}`
  return scalar ? nameOf(scalar) : (message?.typeName ?? fieldKind)
}

function nameOf(scalar: ScalarType): string {
  return ScalarType[scalar].toLowerCase()
}

const wireTypes: Readonly<Record<ProtobufType, number>> = {
  uint32: 0,
  uint64: 0,
  double: 1,
  bytes: 2,
  string: 2,
  'google.protobuf.Timestamp': 2,
  'repeated bytes': 2,
  'repeated message': 2,
}

function mismatch({ name, parent }: DescField, problem: string): UserError {
  return new UserError('schema_mismatch', `Field "${name}" of message ${parent.typeName}: ${problem}.`)
}

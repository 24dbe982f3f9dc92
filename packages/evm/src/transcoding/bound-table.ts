import type { Members } from './answer-scanner.ts'
import {
  type Field,
  type Measure,
  type MessageTable,
  type SharedName,
  sharedNames,
  type TextKind,
} from './message-table.ts'
import { tables } from './message-tables.ts'

/** A field that a .proto declares. */
export interface DeclaredField {
  readonly name: string
  readonly number: number
  readonly hasPresence: boolean
  /** Of a message. */
  readonly fields?: readonly DeclaredField[]
}

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

export type MessageName = keyof typeof tables

/** The messages of a block, each of which is published or only checked. */
export type BlockMessages = Readonly<Record<MessageName, BoundTable & { readonly isPublished: boolean }>>

/** What a project declares of them. It can be sent to a thread. */
export type DeclaredMessages = Readonly<Record<MessageName, DeclaredMessage>>

interface DeclaredMessage {
  readonly isPublished: boolean
  /** `undefined`: all fields. */
  readonly fields: readonly DeclaredField[] | undefined
}

export function bindMessages(declared: DeclaredMessages): BlockMessages {
  const bind = (name: MessageName) => {
    const { isPublished, fields } = declared[name]
    return { ...bindFields(tables[name], fields), isPublished }
  }
  return { Block: bind('Block'), Transaction: bind('Transaction'), Receipt: bind('Receipt'), Log: bind('Log') }
}

/** Without declared fields, all fields of the table are published. */
export function bindFields(table: MessageTable, declared?: readonly DeclaredField[]): BoundTable {
  const { label, members } = table
  const byName = new Map(declared?.map((field) => [field.name, field]))
  const rows = table.fields.map((field) => bindField(members, field, declared && (byName.get(field[1]) ?? null)))
  rows.sort((one, other) => one.tag - other.tag)
  return { label, members, required: table.required.map((name) => members.names.indexOf(name)), rows }
}

/** @param declaration `null`: the .proto does not have the field. */
function bindField(members: Members, field: Field, declaration: DeclaredField | null | undefined): Row {
  const [number, , kind, member, otherwise] = field
  const indexOf = (name: string | undefined) => members.names.indexOf(name!)
  const index = kind === 'shared' ? sharedNames.indexOf(member as SharedName) : indexOf(member)
  return {
    kind: rowKind(kind),
    tag: (((declaration?.number ?? number) << 3) | wireTypes[protobufType(field)]) >>> 0,
    member: index,
    otherwise: otherwise === undefined ? index : indexOf(otherwise),
    isKept: declaration ? declaration.hasPresence : typeof kind === 'string' && kind.endsWith('?'),
    isPublished: declaration !== null,
    measure: typeof kind === 'function' ? kind(members) : undefined,
    nested: typeof kind === 'object' ? bindFields(kind, declaration?.fields) : undefined,
  }
}

function rowKind(kind: Field[2]): RowKind {
  if (typeof kind === 'function') return 'measure'
  return typeof kind === 'object' ? 'nested' : (kind.replace('?', '') as RowKind)
}

const wireTypes = {
  uint32: 0,
  uint64: 0,
  double: 1,
  bytes: 2,
  string: 2,
  'google.protobuf.Timestamp': 2,
  'repeated bytes': 2,
  'repeated message': 2,
} as const

const protobufTypes: Readonly<Record<SharedName | Exclude<RowKind, 'shared'>, keyof typeof wireTypes>> = {
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
}

/** The type of a field in a .proto. */
export function protobufType([, , kind, member]: Field): keyof typeof wireTypes {
  const name = rowKind(kind)
  return protobufTypes[name === 'shared' ? (member as SharedName) : name]
}

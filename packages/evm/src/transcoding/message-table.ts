import { type AnswerScanner, defineMembers, type MemberShape, type Members, type Scanned } from './answer-scanner.ts'

/**
 * How a field is made from the text of a member. `?`: a field with presence, which is also written if it is 0 or empty.
 * `[]`: a repeated field, from a list of texts.
 */
export type TextKind =
  | `${'uint64' | 'uint32' | 'bytes'}${'' | '?'}`
  | `${'bytes' | 'word'}[]`
  | 'exact'
  | 'integer'
  | 'address'
  | 'hash'

/** Fields that are equal in several messages, and encoded once for all of them. */
export const sharedNames = ['time', 'blockNumber', 'blockHash', 'transactionHash', 'transactionIndex'] as const

export type SharedName = (typeof sharedNames)[number]

export type Field =
  /** From a member or, if it is absent, from another one. */
  | readonly [number: number, name: string, kind: TextKind, member: string, otherwise?: string]
  | readonly [number: number, name: string, kind: 'shared', shared: SharedName]
  /** The length of a list. */
  | readonly [number: number, name: string, kind: 'length', member: string]
  /** A double that is measured on the object. 0 is not written. */
  | readonly [number: number, name: string, kind: (members: Members) => Measure]
  /** The objects of a list as messages. */
  | readonly [number: number, name: string, kind: MessageTable, member: string]

export type Measure = (scanner: AnswerScanner, object: Scanned) => number

/** The fields of a message, and the members of the objects that they are made from. */
export interface MessageTable {
  /** What an object is, in errors. */
  readonly label: string
  readonly members: Members
  /** In the order of their numbers, in which encoders of protobuf write them. */
  readonly fields: readonly Field[]
  readonly required: readonly string[]
}

interface TableOptions {
  readonly required?: readonly string[]
  /** Members that are read for checks, and not published. */
  readonly checked?: readonly string[]
  /** Members that nodes send and nothing reads. They are skipped faster than unknown ones. */
  readonly ignored?: readonly string[]
  /** Lists whose objects are not in the message. */
  readonly lists?: Readonly<Record<string, MessageTable>>
}

export function defineTable(label: string, fields: readonly Field[], options: TableOptions = {}): MessageTable {
  const { required = [], checked = [], ignored = [], lists = {} } = options
  const shapes: Record<string, MemberShape> = {}
  for (const member of ignored) shapes[member] = 'any'
  for (const member of [...checked, ...required]) shapes[member] = 'text'
  for (const [, , kind, member, otherwise] of fields) {
    if (member === undefined || kind === 'shared' || kind === 'length') continue
    shapes[member] = typeof kind === 'object' ? kind.members : isList(kind) ? 'texts' : 'text'
    if (otherwise !== undefined) shapes[otherwise] = 'text'
  }
  for (const [member, { members }] of Object.entries(lists)) shapes[member] = members
  return { label, members: defineMembers(shapes), fields, required }
}

function isList(kind: Field[2]): boolean {
  return typeof kind === 'string' && kind.endsWith('[]')
}

export function memberIndexes<Name extends string>(
  { members: { names } }: MessageTable,
  wanted: readonly Name[],
): Readonly<Record<Name, number>> {
  return Object.fromEntries(wanted.map((name) => [name, names.indexOf(name)])) as Record<Name, number>
}

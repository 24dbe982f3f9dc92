import type { DescEnum, DescField, DescMessage, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { type BytesForm, type ScalarForm, scalarForms } from '../schema/scalar-forms.ts'
import { wireTypes } from '../wire/wire-reader.ts'
import { createLiteral, type JsonLiteral } from './json-writer.ts'
import { type MessageForm, messageForm } from './message-form.ts'

export interface MessageTable {
  readonly form: MessageForm
  /** Whether the order of fields on the wire is that in JSON. */
  readonly ordered: boolean
  readonly fields: readonly FieldTable[]
  /** Field number → index in `fields`. */
  readonly byNumber: ReadonlyMap<number, number>
  /** Numbers below `smallNumbers`; -1: no field. */
  readonly bySmallNumber: Int32Array
}

export interface FieldTable {
  readonly number: number
  readonly type: ValueType
  readonly wireType: number
  readonly cardinality: 'singular' | 'list' | 'map'
  /** `,"name":` */
  readonly name: JsonLiteral
  /** The JSON of an absent field, with its name. `undefined`: nothing is written. */
  readonly absent: JsonLiteral | undefined
  /** `undefined` for a message. */
  readonly zero: JsonLiteral | undefined
  /** Indexes of the other members of the oneof. */
  readonly oneofMembers: readonly number[]
  /** 0: in no oneof. */
  readonly oneofBit: number
  /** The table of the message, or of the entry of a map. */
  readonly message: MessageTable | undefined
  /** `undefined` for `google.protobuf.NullValue`, which is always null. */
  readonly enumNames: ReadonlyMap<number, JsonLiteral> | undefined
  /** Whether it is not rendered. */
  readonly omitted: boolean
}

/** Numbered as in `FieldDescriptorProto.Type`. */
type ValueType = ScalarType | typeof messageType | typeof enumType
export const messageType = 11
export const enumType = 14

/** Lower field numbers are looked up in an array. */
const smallNumbers = 256

/** -1: no field. */
export function indexOfField(table: MessageTable, number: number): number {
  return number < smallNumbers ? table.bySmallNumber[number]! : (table.byNumber.get(number) ?? -1)
}

/** Whether the wire type of a tag is that of the field, or of a packed list of it. */
export function hasWireType(field: FieldTable, tag: number): boolean {
  return (tag & 7) === field.wireType || isPacked(field, tag)
}

/** Protobuf allows it for any list of numbers. */
export function isPacked(field: FieldTable, tag: number): boolean {
  return field.cardinality === 'list' && (tag & 7) === wireTypes.length && field.wireType !== wireTypes.length
}

export function createMessageTables(bytes: BytesForm): (message: DescMessage) => MessageTable {
  const known = new Map<string, MessageTable>()
  return function tableOf(message) {
    const existing = known.get(message.typeName)
    if (existing) return existing
    const fields: FieldTable[] = []
    const numbers = message.fields.map((field) => field.number)
    const table = createTable(messageForm(message), numbers, fields)
    known.set(message.typeName, table)
    for (const field of message.fields) fields.push(createField(field, { bytes, tableOf }))
    return table
  }
}

/** The table of a message of which only some fields are rendered, by their indexes. */
export function withOnly(table: MessageTable, kept: ReadonlySet<number>): MessageTable {
  const fields = table.fields.map((field, index) =>
    kept.has(index) ? field : { ...field, absent: undefined, omitted: true },
  )
  return { ...table, fields }
}

function createTable(form: MessageForm, numbers: readonly number[], fields: readonly FieldTable[]): MessageTable {
  const bySmallNumber = new Int32Array(smallNumbers).fill(-1)
  for (const [index, number] of numbers.entries()) if (number < smallNumbers) bySmallNumber[number] = index
  const ordered = form === 'fields' && numbers.every((number, index) => index === 0 || number > numbers[index - 1]!)
  return { form, ordered, fields, byNumber: new Map(numbers.map((number, index) => [number, index])), bySmallNumber }
}

interface TableContext {
  readonly bytes: BytesForm
  tableOf(message: DescMessage): MessageTable
}

function createField(field: DescField, context: TableContext): FieldTable {
  const { number, oneof, parent } = field
  const name = `,${JSON.stringify(field.name)}:`
  const value = createValue(field, context)
  const oneofMembers = oneof ? parent.fields.flatMap((other, index) => (isSibling(field, other) ? [index] : [])) : []
  const oneofBit = oneof ? 1 << parent.oneofs.indexOf(oneof) : 0
  const base = { ...value, number, name: createLiteral(name), oneofMembers, oneofBit, omitted: false }
  if (field.fieldKind === 'list') return { ...base, cardinality: 'list', absent: createLiteral(`${name}[]`) }
  if (field.fieldKind === 'map') {
    const message = createEntry(createScalar(field.mapKey, context.bytes), value)
    const absent = createLiteral(`${name}{}`)
    return { ...base, type: messageType, wireType: wireTypes.length, message, cardinality: 'map', absent }
  }
  const isImplicit = field.presence === FeatureSet_FieldPresence.IMPLICIT
  return { ...base, cardinality: 'singular', absent: isImplicit ? createLiteral(name + value.zero?.text) : undefined }
}

function isSibling(field: DescField, other: DescField): boolean {
  return other !== field && other.oneof === field.oneof
}

type ValueTable = Pick<FieldTable, 'type' | 'wireType' | 'zero' | 'message' | 'enumNames'>

/** On the wire, a map entry is a message. */
function createEntry(key: ValueTable, value: ValueTable): MessageTable {
  const name = createLiteral('')
  const others = {
    name,
    oneofMembers: [],
    oneofBit: 0,
    cardinality: 'singular',
    absent: undefined,
    omitted: false,
  } as const
  const fields = [key, value].map((table, index) => ({ ...table, number: index + 1, ...others }))
  return createTable('fields', [1, 2], fields)
}

function createValue(field: DescField, { bytes, tableOf }: TableContext): ValueTable {
  if (field.enum) {
    const names = field.enum.typeName === 'google.protobuf.NullValue' ? undefined : enumNames(field.enum)
    const zero = names?.get(0) ?? createLiteral(names ? '0' : 'null')
    return { type: enumType, wireType: wireTypes.varint, zero, message: undefined, enumNames: names }
  }
  if (!field.message) return createScalar(field.scalar!, bytes)
  const message = tableOf(field.message)
  return { type: messageType, wireType: wireTypes.length, zero: undefined, message, enumNames: undefined }
}

function createScalar(type: ScalarType, bytes: BytesForm): ValueTable {
  const { json, wire } = scalarForms[type]
  const zero = createLiteral(json === 'bytes' && bytes === 'hex' ? '"0x"' : zeros[json])
  return { type, wireType: wireTypes[wire], zero, message: undefined, enumNames: undefined }
}

const zeros: Readonly<Record<ScalarForm['json'], string>> = {
  float: '0',
  int32: '0',
  uint32: '0',
  int64: '"0"',
  uint64: '"0"',
  bool: 'false',
  string: '""',
  bytes: '""',
}

/** The first of several names is used. */
function enumNames({ values }: DescEnum): ReadonlyMap<number, JsonLiteral> {
  return new Map(values.toReversed().map(({ number, name }) => [number, createLiteral(JSON.stringify(name))]))
}

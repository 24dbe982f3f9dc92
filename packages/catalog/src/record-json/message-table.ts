import type { DescEnum, DescField, DescMessage, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { type ScalarForm, scalarForms } from '../schema/scalar-forms.ts'
import { wireTypes } from '../wire/wire-reader.ts'
import { createLiteral, type JsonLiteral } from './json-writer.ts'
import { type MessageForm, messageForm } from './message-form.ts'

export interface MessageTable {
  readonly form: MessageForm
  readonly typeName: string
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
  /** With its name; `undefined`: nothing. */
  readonly absent: JsonLiteral | undefined
  /** `undefined` for a message. */
  readonly zero: JsonLiteral | undefined
  /** Other members of its oneof. */
  readonly oneofMembers: readonly number[]
  /** 0: in no oneof. */
  readonly oneofBit: number
  /** Of a map, the table of its entry. */
  readonly message: MessageTable | undefined
  /** `undefined` for `google.protobuf.NullValue`, which is always null. */
  readonly enumNames: ReadonlyMap<number, JsonLiteral> | undefined
}

/** Numbered as in `FieldDescriptorProto.Type`. */
type ValueType = ScalarType | typeof messageType | typeof enumType
export const messageType = 11
export const enumType = 14

/** Lower field numbers are looked up in an array. */
export const smallNumbers = 256

export function createMessageTables(bytes: 'hex' | 'base64'): (message: DescMessage) => MessageTable {
  const known = new Map<string, MessageTable>()
  const tableOf = (message: DescMessage): MessageTable => {
    const existing = known.get(message.typeName)
    if (existing) return existing
    const fields: FieldTable[] = []
    const numbers = message.fields.map((field) => field.number)
    const table = createTable(messageForm(message), message.typeName, fields, numbers)
    known.set(message.typeName, table)
    for (const field of message.fields) fields.push(createField(field, bytes, tableOf))
    return table
  }
  return tableOf
}

function createTable(
  form: MessageForm,
  typeName: string,
  fields: readonly FieldTable[],
  numbers: readonly number[],
): MessageTable {
  const bySmallNumber = new Int32Array(smallNumbers).fill(-1)
  for (const [index, number] of numbers.entries()) if (number < smallNumbers) bySmallNumber[number] = index
  const ordered = form === 'fields' && numbers.every((number, index) => index === 0 || number > numbers[index - 1]!)
  const byNumber = new Map(numbers.map((number, index) => [number, index]))
  return { form, typeName, ordered, fields, byNumber, bySmallNumber }
}

function createField(
  field: DescField,
  bytes: 'hex' | 'base64',
  tableOf: (message: DescMessage) => MessageTable,
): FieldTable {
  const name = `,${JSON.stringify(field.name)}:`
  const value = createValue(field, bytes, tableOf)
  const base = {
    ...value,
    number: field.number,
    name: createLiteral(name),
    oneofMembers: oneofMembersOf(field),
    oneofBit: oneofBitOf(field),
  }
  switch (field.fieldKind) {
    case 'list':
      return { ...base, cardinality: 'list', absent: createLiteral(`${name}[]`) }
    case 'map': {
      const message = createEntry(field, value, bytes)
      const map = { ...base, type: messageType, wireType: wireTypes.length, message } as const
      return { ...map, cardinality: 'map', absent: createLiteral(`${name}{}`) }
    }
    default: {
      const implicit = field.presence === FeatureSet_FieldPresence.IMPLICIT
      const absent = implicit ? createLiteral(name + value.zero?.text) : undefined
      return { ...base, cardinality: 'singular', absent }
    }
  }
}

type ValueTable = Pick<FieldTable, 'type' | 'wireType' | 'zero' | 'message' | 'enumNames'>

/** On the wire, a map entry is a message. */
function createEntry(
  field: DescField & { fieldKind: 'map' },
  value: ValueTable,
  bytes: 'hex' | 'base64',
): MessageTable {
  const none = {
    cardinality: 'singular',
    name: createLiteral(''),
    absent: undefined,
    oneofMembers: [],
    oneofBit: 0,
  } as const
  const key = createScalar(field.mapKey, bytes)
  const typeName = `${field.parent.typeName}.${field.name}`
  return createTable(
    'fields',
    typeName,
    [
      { ...none, ...key, number: 1 },
      { ...none, ...value, number: 2 },
    ],
    [1, 2],
  )
}

function createValue(
  field: DescField,
  bytes: 'hex' | 'base64',
  tableOf: (message: DescMessage) => MessageTable,
): ValueTable {
  if (field.enum) {
    const names = field.enum.typeName === 'google.protobuf.NullValue' ? undefined : enumNames(field.enum)
    const zero = names?.get(0) ?? createLiteral(names ? '0' : 'null')
    return { type: enumType, wireType: wireTypes.varint, zero, message: undefined, enumNames: names }
  }
  if (!field.message) return createScalar(field.scalar!, bytes)
  const message = tableOf(field.message)
  return { type: messageType, wireType: wireTypes.length, zero: undefined, message, enumNames: undefined }
}

function createScalar(type: ScalarType, bytes: 'hex' | 'base64'): ValueTable {
  const zero = createLiteral(zeroOf(type, bytes))
  return { type, wireType: wireTypes[scalarForms[type].wire], zero, message: undefined, enumNames: undefined }
}

function zeroOf(type: ScalarType, bytes: 'hex' | 'base64'): string {
  const { json } = scalarForms[type]
  return json === 'bytes' && bytes === 'hex' ? '"0x"' : zeros[json]
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

function enumNames(type: DescEnum): ReadonlyMap<number, JsonLiteral> {
  // The first of several names is used.
  const values = type.values.toReversed()
  return new Map(values.map(({ number, name }) => [number, createLiteral(JSON.stringify(name))]))
}

function oneofMembersOf(field: DescField): readonly number[] {
  if (!field.oneof) return []
  return field.parent.fields.flatMap((other, index) => (other !== field && other.oneof === field.oneof ? [index] : []))
}

function oneofBitOf({ oneof, parent }: DescField): number {
  return oneof ? 1 << parent.oneofs.indexOf(oneof) : 0
}

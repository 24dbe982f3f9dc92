import { isUtf8 } from 'node:buffer'
import { ScalarType } from '@bufbuild/protobuf'
import { MalformedMessageError, type WireReader, wireTypes } from '../wire/wire-reader.ts'
import {
  enumType,
  type FieldTable,
  hasWireType,
  indexOfField,
  type MessageTable,
  messageType,
} from './message-table.ts'
import { outOfOrder, type Rendering } from './rendering.ts'
import { asBuffer } from './write-bytes.ts'
import { writeOrderedField } from './write-message.ts'
import { decodeZigzag } from './write-number.ts'

/**
 * Reads the message from an offset on, to its end.
 *
 * @throws {MalformedMessageError} also if the message must be scanned first. `out` may contain anything.
 */
export type MessageReader = (rendering: Rendering, start: number) => object

/** A field as a member of an object. */
interface Member {
  readonly name: string
  /** JSON of the value, if the field is absent. `undefined`: there is no such member. */
  readonly absent: string | undefined
  readonly zero: unknown
  /** `undefined`: the field is not an enum, or always null. */
  readonly enumNames: ReadonlyMap<number, string> | undefined
}

/**
 * Reads messages into what `JSON.parse` makes of their JSON, faster than through it. `undefined`: they are not rendered in
 * the pass that reads them, or have a member that cannot be assigned.
 */
export function createMessageReader(table: MessageTable): MessageReader | undefined {
  const { fields, ordered } = table
  if (!ordered || fields.some(({ omitted }) => omitted)) return undefined
  const members = fields.map(memberOf)
  if (members.some(({ name }) => name === '__proto__')) return undefined

  return function read(rendering, start) {
    const { reader } = rendering
    const end = reader.bytes.length
    const object: Record<string, unknown> = {}
    let next = 0
    let oneofs = 0
    reader.at = start
    while (reader.at < end) {
      const tag = reader.varint32()
      const index = indexOfField(table, tag >>> 3)
      const field = fields[index]
      if (!field || !hasWireType(field, tag)) {
        if (tag >>> 3 === 0) throw new MalformedMessageError('a field has the number 0')
        reader.skip(tag, end, 0)
        continue
      }
      if (index < next || (oneofs & field.oneofBit) !== 0) throw outOfOrder
      oneofs |= field.oneofBit
      while (next < index) addAbsent(object, members[next++]!)
      next = index + 1
      object[members[index]!.name] = readField(rendering, field, members[index]!, tag, end)
    }
    if (reader.at !== end) throw new MalformedMessageError('the message is cut off')
    while (next < fields.length) addAbsent(object, members[next++]!)
    return object
  }
}

function memberOf({ name, absent, enumNames }: FieldTable): Member {
  const text = name.text.slice(1, -1)
  const value = absent?.text.slice(name.text.length)
  return {
    name: JSON.parse(text),
    absent: value,
    zero: value && JSON.parse(value),
    enumNames: enumNames && new Map([...enumNames].map(([number, { text }]) => [number, JSON.parse(text)])),
  }
}

function addAbsent(object: Record<string, unknown>, { name, absent, zero }: Member): void {
  if (absent === undefined) return
  // Not shared by the objects.
  object[name] = typeof zero === 'object' ? JSON.parse(absent) : zero
}

function readField(rendering: Rendering, field: FieldTable, member: Member, tag: number, end: number): unknown {
  const { reader } = rendering
  if (field.cardinality !== 'singular' || field.type === messageType) return parseField(rendering, field, tag, end)
  if (field.wireType !== wireTypes.length) return readScalar(reader, field, member)
  const valueEnd = reader.valueEnd(end)
  const start = reader.at
  reader.at = valueEnd
  return field.type === ScalarType.STRING ? readText(reader, start, valueEnd) : readBytes(rendering, start, valueEnd)
}

function parseField(rendering: Rendering, field: FieldTable, tag: number, end: number): unknown {
  const { out } = rendering
  out.reset()
  writeOrderedField(rendering, field, tag, end, 0)
  const form = field.cardinality === 'singular' ? field.message!.form : undefined
  // Strings without escapes.
  if (form === 'timestamp' || form === 'duration') return out.bytes.toString('latin1', 1, out.length - 1)
  return out.parse()
}

function readScalar(reader: WireReader, { type }: FieldTable, { enumNames }: Member): unknown {
  if (type === ScalarType.DOUBLE) return finite(reader.double())
  if (type === ScalarType.FLOAT) return finite(reader.float())
  if (type === ScalarType.INT32) return reader.varint32() | 0
  if (type === ScalarType.UINT32) return reader.varint32()
  if (type === ScalarType.SINT32) return decodeZigzag(reader.varint32())
  if (type === ScalarType.FIXED32) return reader.fixed32()
  if (type === ScalarType.SFIXED32) return reader.fixed32() | 0
  if (type === enumType) {
    const value = reader.varint32() | 0
    return enumNames ? (enumNames.get(value) ?? value) : null
  }
  if (type === ScalarType.FIXED64 || type === ScalarType.SFIXED64) reader.fixed64()
  else reader.varint64()
  if (type === ScalarType.BOOL) return (reader.low | reader.high) !== 0
  if (type === ScalarType.SINT64) reader.zigzag64()
  const { low, high } = reader
  if (high < 0x20_0000) return `${high * 0x1_0000_0000 + low}`
  const isUnsigned = type === ScalarType.UINT64 || type === ScalarType.FIXED64
  return `${(BigInt(isUnsigned ? high : high | 0) << 32n) | BigInt(low)}`
}

/** In ProtoJSON, non-finite numbers are strings. */
function finite(value: number): number | string {
  return Number.isFinite(value) ? value : `${value}`
}

function readText({ bytes }: WireReader, start: number, end: number): string {
  let high = 0
  for (let index = start; index < end; index++) high |= bytes[index]!
  if (high < 0x80) return asBuffer(bytes).toString('latin1', start, end)
  if (!isUtf8(bytes.subarray(start, end))) throw new MalformedMessageError('a string field is not UTF-8')
  return asBuffer(bytes).toString('utf8', start, end)
}

function readBytes({ reader: { bytes }, bytes: form }: Rendering, start: number, end: number): string {
  const text = asBuffer(bytes).toString(form, start, end)
  return form === 'hex' ? `0x${text}` : text
}

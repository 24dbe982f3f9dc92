import { isUtf8 } from 'node:buffer'
import { ScalarType } from '@bufbuild/protobuf'
import type { SchemaSet } from '../schema/schema-set.ts'
import { depthLimit, MalformedMessageError, WireReader, wireTypes } from '../wire/wire-reader.ts'
import { createMessageTables, type FieldTable, indexOfField, isPacked, type MessageTable } from './message-table.ts'

export type MessageCheck = (encoded: Uint8Array) => void

/**
 * Throws a `MalformedMessageError` if protobuf libraries could not parse a message.
 *
 * @param exactTypes - Rejects known fields with another wire type. Libraries skip them, or read them wrongly.
 * @throws {TypeError} there is no such message.
 */
export function createMessageCheck(
  schema: SchemaSet,
  message: string,
  { exactTypes = false }: { exactTypes?: boolean } = {},
): MessageCheck {
  const desc = schema.message(message)
  if (!desc) throw new TypeError(`There is no message "${message}".`)
  const table = createMessageTables('hex')(desc)
  const reader = new WireReader()
  return (encoded) => {
    reader.bytes = encoded
    reader.at = 0
    checkMessage(reader, table, encoded.length, 0, exactTypes)
  }
}

function checkMessage(reader: WireReader, table: MessageTable, end: number, depth: number, exactTypes: boolean): void {
  if (depth > depthLimit) throw new MalformedMessageError(`messages are nested more than ${depthLimit} deep`)
  while (reader.at < end) {
    const tag = reader.varint32()
    const number = tag >>> 3
    const field = table.fields[indexOfField(table, number)]
    if (field && (tag & 7) === field.wireType) checkValue(reader, field, end, depth, exactTypes)
    else if (field && isPacked(field, tag)) checkPacked(reader, field, end)
    else if (number === 0) throw new MalformedMessageError('a field has the number 0')
    else if (field && exactTypes) throw new MalformedMessageError(`field ${number} has the wire type ${tag & 7}`)
    else reader.skip(tag, end, depth)
  }
  if (reader.at !== end) throw new MalformedMessageError('the message is cut off')
}

function checkValue(reader: WireReader, field: FieldTable, end: number, depth: number, exactTypes: boolean): void {
  if (field.wireType === wireTypes.length) {
    const valueEnd = reader.valueEnd(end)
    if (field.message) checkMessage(reader, field.message, valueEnd, depth + 1, exactTypes)
    else if (field.type === ScalarType.STRING) checkText(reader, valueEnd)
    reader.at = valueEnd
  } else checkNumber(reader, field)
}

function checkPacked(reader: WireReader, field: FieldTable, end: number): void {
  const valueEnd = reader.valueEnd(end)
  while (reader.at < valueEnd) checkNumber(reader, field)
  if (reader.at !== valueEnd) throw new MalformedMessageError('a packed field is cut off')
}

function checkNumber(reader: WireReader, { wireType }: FieldTable): void {
  if (wireType === wireTypes.varint) reader.varint64()
  else reader.at += wireType === wireTypes.fixed64 ? 8 : 4
}

function checkText({ bytes, at }: WireReader, end: number): void {
  let other = at
  while (other < end && bytes[other]! < 0x80) other++
  if (other < end && !isUtf8(bytes.subarray(other, end))) throw new MalformedMessageError('a string field is not UTF-8')
}

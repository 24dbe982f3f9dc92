import { ScalarType } from '@bufbuild/protobuf'
import { depthLimit, MalformedMessageError, wireTypes } from '../wire/wire-reader.ts'
import { braces, brackets, comma, type JsonWriter } from './json-writer.ts'
import { type FieldTable, hasWireType, indexOfField, type MessageTable, messageType } from './message-table.ts'
import { outOfOrder, type Rendering } from './rendering.ts'
import { writeBytes } from './write-bytes.ts'
import { writeEntries, writeMap } from './write-map.ts'
import { writeScalar } from './write-number.ts'
import { writeText } from './write-text.ts'
import { writeWellKnown } from './write-well-known.ts'

/** @throws {MalformedMessageError} `out` contains a part of the message. */
export function writeMessage(rendering: Rendering, table: MessageTable, start: number, end: number, depth = 0): void {
  const { reader, slots, out } = rendering
  if (rendering.ordered && table.ordered) {
    const first = out.length
    writeInOrder(rendering, table, start, end, depth)
    out.enclose(first, braces)
    return
  }
  const base = slots.scan(reader, table, start, end, depth)
  if (table.form === 'fields') {
    const first = out.length
    writeMembers(rendering, table, base, depth)
    out.enclose(first, braces)
  } else writeWellKnown(rendering, table, base, depth)
  slots.release(base)
}

/** Each field has a comma before it. */
function writeMembers(rendering: Rendering, table: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const { fields } = table
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index]!
    const slot = base + index * 2
    if (slots.places[slot] !== 0 && !field.omitted) {
      out.literal(field.name)
      writeField(rendering, field, slot, depth)
    } else if (field.absent) out.literal(field.absent)
  }
}

function writeField(rendering: Rendering, field: FieldTable, slot: number, depth: number): void {
  const { reader, slots } = rendering
  const place = slots.places[slot]!
  const end = slots.places[slot + 1]!
  if (field.cardinality === 'list') writeList(rendering, field, place - 1, end, depth)
  else if (field.cardinality === 'map') writeMap(rendering, field, place - 1, end, depth)
  else if (place < 0) writeMerged(rendering, field, slots.merged[-1 - place]!, depth)
  else if (field.wireType === wireTypes.length) writeValue(rendering, field, place - 1, end, depth)
  else {
    reader.at = place - 1
    writeScalar(rendering.out, reader, field)
  }
}

/** In a message that ends at `end`. */
function writeDelimited(rendering: Rendering, field: FieldTable, end: number, depth: number): void {
  const { reader } = rendering
  const valueEnd = reader.valueEnd(end)
  writeValue(rendering, field, reader.at, valueEnd, depth)
  reader.at = valueEnd
}

function writeValue(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): void {
  if (field.type === messageType) writeMessage(rendering, field.message!, start, end, depth + 1)
  else if (field.type === ScalarType.STRING) writeText(rendering.out, rendering.reader.bytes, start, end)
  else writeBytes(rendering.out, rendering.reader.bytes, start, end, rendering.bytes)
}

function writeMerged(rendering: Rendering, field: FieldTable, merged: Uint8Array, depth: number): void {
  const { reader } = rendering
  const { bytes } = reader
  reader.bytes = merged
  writeMessage(rendering, field.message!, 0, merged.length, depth + 1)
  reader.bytes = bytes
}

function writeList(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): void {
  const { reader, out } = rendering
  const first = out.length
  for (reader.at = start; reader.at < end; ) {
    const tag = reader.varint32()
    if (tag >>> 3 === field.number && hasWireType(field, tag)) writeItems(rendering, field, tag, end, depth)
    else reader.skip(tag, end, depth)
  }
  out.enclose(first, brackets)
}

/** Each item has a comma before it. */
function writeItems(rendering: Rendering, field: FieldTable, tag: number, end: number, depth: number): void {
  const { reader, out } = rendering
  if (field.wireType === wireTypes.length) {
    out.byte(comma)
    writeDelimited(rendering, field, end, depth)
  } else if ((tag & 7) !== wireTypes.length) {
    out.byte(comma)
    writeScalar(out, reader, field)
  } else {
    const itemsEnd = reader.varint32() + reader.at
    while (reader.at < itemsEnd) {
      out.byte(comma)
      writeScalar(out, reader, field)
    }
    if (reader.at > itemsEnd) throw new MalformedMessageError('a packed field is cut off')
  }
}

/**
 * Renders the fields in the pass that reads them, each with a comma before it. Only for messages as encoders write
 * them: in order of number, each field in one piece, at most one member of a oneof.
 *
 * @throws {MalformedMessageError} also if the message must be scanned first.
 */
function writeInOrder(rendering: Rendering, table: MessageTable, start: number, end: number, depth: number): void {
  if (depth > depthLimit) throw new MalformedMessageError(`messages are nested more than ${depthLimit} deep`)
  const { reader, out } = rendering
  const { fields } = table
  let next = 0
  let oneofs = 0
  reader.at = start
  while (reader.at < end) {
    const tag = reader.varint32()
    const number = tag >>> 3
    const index = indexOfField(table, number)
    const field = fields[index]
    if (!field || !hasWireType(field, tag)) {
      if (number === 0) throw new MalformedMessageError('a field has the number 0')
      reader.skip(tag, end, depth)
      continue
    }
    if (index < next || (oneofs & field.oneofBit) !== 0) throw outOfOrder
    oneofs |= field.oneofBit
    if (next < index) writeAbsent(out, fields, next, index)
    next = index + 1
    if (field.omitted) reader.skipValue(tag)
    else {
      out.literal(field.name)
      writeOrderedField(rendering, field, tag, end, depth)
    }
  }
  if (reader.at !== end) throw new MalformedMessageError('the message is cut off')
  writeAbsent(out, fields, next, fields.length)
}

function writeAbsent(out: JsonWriter, fields: readonly FieldTable[], from: number, to: number): void {
  for (let index = from; index < to; index++) {
    const { absent } = fields[index]!
    if (absent) out.literal(absent)
  }
}

export function writeOrderedField(
  rendering: Rendering,
  field: FieldTable,
  tag: number,
  end: number,
  depth: number,
): void {
  const { reader, out } = rendering
  if (field.cardinality === 'list') writeOrderedList(rendering, field, tag, end, depth)
  else if (field.cardinality === 'map') writeEntries(rendering, field, tag, end, depth)
  else if (field.wireType === wireTypes.length) writeDelimited(rendering, field, end, depth)
  else writeScalar(out, reader, field)
}

function writeOrderedList(rendering: Rendering, field: FieldTable, tag: number, end: number, depth: number): void {
  const { reader, out } = rendering
  const first = out.length
  do writeItems(rendering, field, tag, end, depth)
  while (reader.isNext(tag, end))
  out.enclose(first, brackets)
}

type NestedWriters = Pick<Rendering, 'writeMessage' | 'writeMembers' | 'writeField'>
export const nestedWriters: NestedWriters = { writeMessage, writeMembers, writeField }

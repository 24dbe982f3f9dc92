import { ScalarType } from '@bufbuild/protobuf'
import { MalformedMessageError, type WireReader, wireTypes } from '../wire/wire-reader.ts'
import type { FieldSlots } from './field-slots.ts'
import type { JsonWriter } from './json-writer.ts'
import { type FieldTable, type MessageTable, messageType } from './message-table.ts'
import { isPacked, scanMessage } from './scan-message.ts'
import { writeBytes } from './write-bytes.ts'
import { writeMap } from './write-map.ts'
import { writeScalar } from './write-scalar.ts'
import { writeText } from './write-text.ts'
import { writeWellKnown } from './write-well-known.ts'

/** What is needed to render messages. Used for one message at a time. */
export interface Rendering {
  readonly reader: WireReader
  readonly out: JsonWriter
  readonly slots: FieldSlots
  readonly bytes: 'hex' | 'base64'
  /** The table of a message by its full name, for `google.protobuf.Any`. */
  tableOf(typeName: string): MessageTable | undefined
}

/**
 * Renders the message between two offsets of `reader.bytes` as JSON.
 *
 * @throws {MalformedMessageError} after which `out` holds a part of it.
 */
export function writeMessage(rendering: Rendering, table: MessageTable, start: number, end: number, depth = 0): void {
  const { reader, slots, out } = rendering
  const base = scanMessage(reader, slots, table, start, end, depth)
  if (table.form === 'fields') {
    const first = out.length
    writeMembers(rendering, table, base, depth)
    // Each member begins with a comma; the first one becomes the brace.
    if (out.length === first) out.byte(openBrace)
    else out.bytes[first] = openBrace
    out.byte(closeBrace)
  } else writeWellKnown(rendering, table, base, depth)
  slots.release(base)
}

/** Renders the fields whose places begin at a slot, each with a comma before it. */
export function writeMembers(rendering: Rendering, table: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const { fields } = table
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index]!
    const slot = base + index * 2
    if (slots.places[slot] !== 0) {
      out.literal(field.name)
      writeField(rendering, field, slot, depth)
    } else if (field.absent) out.literal(field.absent)
  }
}

/** Renders the value of a field that is there. */
export function writeField(rendering: Rendering, field: FieldTable, slot: number, depth: number): void {
  const { reader, slots } = rendering
  const place = slots.places[slot]!
  const end = slots.places[slot + 1]!
  if (field.cardinality === 'list') writeList(rendering, field, place - 1, end, depth)
  else if (field.cardinality === 'map') writeMap(rendering, field, place - 1, end, depth)
  else if (place < 0) writeMerged(rendering, field, slots.merged[-1 - place]!, depth)
  else if (field.wireType === wireTypes.length) writeDelimited(rendering, field, place - 1, end, depth)
  else {
    reader.at = place - 1
    writeScalar(rendering.out, reader, field)
  }
}

function writeDelimited(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): void {
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
  let separator = openBracket
  reader.at = start
  while (reader.at < end) {
    const tag = reader.varint32()
    if (tag >>> 3 !== field.number || ((tag & 7) !== field.wireType && !isPacked(field, tag))) {
      reader.skip(tag, end, depth)
    } else if ((tag & 7) !== wireTypes.length) {
      out.byte(separator)
      writeScalar(out, reader, field)
      separator = comma
    } else {
      const valueEnd = reader.varint32() + reader.at
      if (field.wireType === wireTypes.length) {
        out.byte(separator)
        writeDelimited(rendering, field, reader.at, valueEnd, depth)
        separator = comma
      } else
        for (; reader.at < valueEnd; separator = comma) {
          out.byte(separator)
          writeScalar(out, reader, field)
        }
      if (reader.at > valueEnd) throw new MalformedMessageError('a packed field is cut off')
      reader.at = valueEnd
    }
  }
  if (separator === openBracket) out.byte(openBracket)
  out.byte(closeBracket)
}

const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c

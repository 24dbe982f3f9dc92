import { wireTypes } from '../wire/wire-reader.ts'
import type { JsonWriter } from './json-writer.ts'
import type { FieldTable, MessageTable } from './message-table.ts'
import { scanMessage } from './scan-message.ts'
import { type Rendering, writeField, writeMessage } from './write-message.ts'

/** Renders a map field whose entries lie between two offsets of `reader.bytes`, among other fields. */
export function writeMap(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): void {
  const { reader, out, slots } = rendering
  const entry = field.message!
  const place = out.length
  /** Where each key that has been written begins and ends. */
  const keys: number[] = []
  for (reader.at = start; reader.at < end; ) {
    const entryEnd = nextEntry(rendering, field, end, depth)
    if (entryEnd < 0) continue
    const base = scanMessage(reader, slots, entry, reader.at, entryEnd, depth + 1)
    out.byte(keys.length === 0 ? openBrace : comma)
    const keyStart = out.length
    writeKey(rendering, entry, base, depth)
    if (keys.length === comparedKeys * 2 || isThere(out, keys, keyStart)) {
      slots.release(base)
      out.length = place
      writeLastOfEach(rendering, field, start, end, depth)
      return
    }
    keys.push(keyStart, out.length)
    writeValue(rendering, entry, base, depth)
    slots.release(base)
    reader.at = entryEnd
  }
  if (keys.length === 0) out.byte(openBrace)
  out.byte(closeBrace)
}

/** Of entries with equal keys the last one counts. Encoders write no such, so others do not pay for them. */
function writeLastOfEach(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): void {
  const { reader, out, slots } = rendering
  const entry = field.message!
  const entries = new Map<string, { start: number; end: number }>()
  for (reader.at = start; reader.at < end; ) {
    const entryEnd = nextEntry(rendering, field, end, depth)
    if (entryEnd < 0) continue
    const entryStart = reader.at
    const base = scanMessage(reader, slots, entry, entryStart, entryEnd, depth + 1)
    const keyStart = out.length
    writeKey(rendering, entry, base, depth)
    entries.set(out.bytes.toString('latin1', keyStart, out.length), { start: entryStart, end: entryEnd })
    out.length = keyStart
    slots.release(base)
    reader.at = entryEnd
  }
  let separator = openBrace
  for (const place of entries.values()) {
    out.byte(separator)
    separator = comma
    const base = scanMessage(reader, slots, entry, place.start, place.end, depth + 1)
    writeKey(rendering, entry, base, depth)
    writeValue(rendering, entry, base, depth)
    slots.release(base)
  }
  out.byte(closeBrace)
}

/** Moves to the entry that comes next and gives the offset after it; -1 after a field that is another. */
function nextEntry({ reader }: Rendering, field: FieldTable, end: number, depth: number): number {
  const tag = reader.varint32()
  if (tag >>> 3 === field.number && (tag & 7) === wireTypes.length) return reader.varint32() + reader.at
  reader.skip(tag, end, depth)
  return -1
}

/** Keys are strings in JSON, whatever they are. */
function writeKey(rendering: Rendering, { fields }: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const key = fields[0]!
  const isText = key.zero!.text.startsWith('"')
  if (!isText) out.byte(quote)
  if (slots.places[base] !== 0) writeField(rendering, key, base, depth)
  else out.literal(key.zero!)
  if (!isText) out.byte(quote)
}

function writeValue(rendering: Rendering, { fields }: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const value = fields[1]!
  out.byte(colon)
  if (slots.places[base + 2] !== 0) writeField(rendering, value, base + 2, depth + 1)
  else if (value.zero) out.literal(value.zero)
  else writeMessage(rendering, value.message!, 0, 0, depth + 2)
}

/** Whether the key that has been written last is among those before it. */
function isThere({ bytes, length }: JsonWriter, keys: readonly number[], start: number): boolean {
  for (let index = 0; index < keys.length; index += 2) {
    const [from, to] = [keys[index]!, keys[index + 1]!]
    if (to - from !== length - start) continue
    let at = 0
    while (at < to - from && bytes[from + at] === bytes[start + at]) at++
    if (at === to - from) return true
  }
  return false
}

/** Keys up to which each is compared with all before it. */
const comparedKeys = 32
const openBrace = 0x7b
const closeBrace = 0x7d
const comma = 0x2c
const colon = 0x3a
const quote = 0x22

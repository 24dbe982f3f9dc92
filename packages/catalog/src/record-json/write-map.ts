import { braces, comma, type JsonWriter } from './json-writer.ts'
import { type FieldTable, hasWireType, type MessageTable } from './message-table.ts'
import { outOfOrder, type Rendering } from './rendering.ts'

/** Entries may be among other fields. They are collected first, since only the last one with a key counts. */
export function writeMap(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): void {
  const { reader, out, slots } = rendering
  const table = field.message!
  const entries = gatherEntries(rendering, field, start, end, depth)
  const first = out.length
  for (const entry of entries) {
    out.byte(comma)
    const base = slots.scan(reader, table, entry.start, entry.end, depth + 1)
    writeKey(rendering, table, base, depth)
    writeValue(rendering, table, base, depth)
    slots.release(base)
  }
  out.enclose(first, braces)
}

function gatherEntries(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): Span[] {
  const { reader, out, slots } = rendering
  const table = field.message!
  const entries: Span[] = []
  const indexOfKey = createKeyIndex(out)
  const first = out.length
  for (reader.at = start; reader.at < end; ) {
    const tag = reader.varint32()
    if (tag >>> 3 !== field.number || !hasWireType(field, tag)) {
      reader.skip(tag, end, depth)
      continue
    }
    const entryEnd = reader.varint32() + reader.at
    const entry = { start: reader.at, end: entryEnd }
    const keyStart = out.length
    const base = slots.scan(reader, table, entry.start, entryEnd, depth + 1)
    writeKey(rendering, table, base, depth)
    slots.release(base)
    reader.at = entryEnd
    const index = indexOfKey(keyStart)
    if (index < entries.length) out.length = keyStart
    entries[index] = entry
  }
  out.length = first
  return entries
}

/** Renders consecutive entries in the pass that reads them, after the first tag. */
export function writeEntries(rendering: Rendering, field: FieldTable, tag: number, end: number, depth: number): void {
  const { reader, out, slots } = rendering
  const table = field.message!
  const indexOfKey = createKeyIndex(out)
  const first = out.length
  let written = 0
  do {
    const entryEnd = reader.valueEnd(end)
    out.byte(comma)
    const keyStart = out.length
    const base = slots.scan(reader, table, reader.at, entryEnd, depth + 1)
    writeKey(rendering, table, base, depth)
    if (indexOfKey(keyStart) < written++) throw outOfOrder
    writeValue(rendering, table, base, depth)
    slots.release(base)
    reader.at = entryEnd
  } while (reader.isNext(tag, end))
  out.enclose(first, braces)
}

/** Returns the index of the key that was written last among all different keys so far. */
function createKeyIndex(out: JsonWriter): (start: number) => number {
  const keys: Span[] = []
  let byText: Map<string, number> | undefined
  const textOf = ({ start, end }: Span) => out.bytes.toString('latin1', start, end)
  return (start) => {
    const key = { start, end: out.length }
    if (keys.length <= comparedKeys) {
      for (let index = 0; index < keys.length; index++) if (isSameKey(out.bytes, keys[index]!, key)) return index
    } else {
      byText ??= new Map()
      for (let index = byText.size; index < keys.length; index++) byText.set(textOf(keys[index]!), index)
      const index = byText.get(textOf(key))
      if (index !== undefined) return index
    }
    return keys.push(key) - 1
  }
}

/** Offsets of an entry in the message, or of a key in `out`. */
interface Span {
  readonly start: number
  readonly end: number
}

function isSameKey(bytes: Uint8Array, one: Span, other: Span): boolean {
  if (one.end - one.start !== other.end - other.start) return false
  let at = one.start
  while (at < one.end && bytes[at] === bytes[other.start + at - one.start]) at++
  return at === one.end
}

function writeKey(rendering: Rendering, { fields }: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const key = fields[0]!
  const isText = key.zero!.text.startsWith('"')
  if (!isText) out.byte(quote)
  if (slots.places[base] !== 0) rendering.writeField(rendering, key, base, depth)
  else out.literal(key.zero!)
  if (!isText) out.byte(quote)
}

function writeValue(rendering: Rendering, { fields }: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const value = fields[1]!
  out.byte(colon)
  if (slots.places[base + 2] !== 0) rendering.writeField(rendering, value, base + 2, depth + 1)
  else if (value.zero) out.literal(value.zero)
  else rendering.writeMessage(rendering, value.message!, 0, 0, depth + 2)
}

/** Above this number of keys an index is used. */
const comparedKeys = 32
const colon = 0x3a
const quote = 0x22

import { wireTypes } from '../wire/wire-reader.ts'
import type { JsonWriter } from './json-writer.ts'
import type { FieldTable, MessageTable } from './message-table.ts'
import { outOfOrder, type Rendering } from './rendering.ts'
import { scanMessage } from './scan-message.ts'

/** Entries may be among other fields. They are collected first, since only the last one with a key counts. */
export function writeMap(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): void {
  const { reader, out, slots } = rendering
  const table = field.message!
  const entries = gatherEntries(rendering, field, start, end, depth)
  let separator = openBrace
  for (const entry of entries) {
    out.byte(separator)
    separator = comma
    const base = scanMessage(reader, slots, table, entry.start, entry.end, depth + 1)
    writeKey(rendering, table, base, depth)
    writeValue(rendering, table, base, depth)
    slots.release(base)
  }
  if (separator === openBrace) out.byte(openBrace)
  out.byte(closeBrace)
}

/** Renders consecutive entries in the pass that reads them, after the first tag. */
export function writeOrderedMap(
  rendering: Rendering,
  field: FieldTable,
  tag: number,
  end: number,
  depth: number,
): void {
  const { reader, out, slots } = rendering
  const table = field.message!
  const keys: WrittenKey[] = []
  const find = createKeySearch(out, keys)
  let separator = openBrace
  do {
    const entryEnd = reader.valueEnd(end)
    out.byte(separator)
    separator = comma
    const keyStart = out.length
    const base = scanMessage(reader, slots, table, reader.at, entryEnd, depth + 1)
    writeKey(rendering, table, base, depth)
    if (find(keyStart)) throw outOfOrder
    keys.push({ keyStart, keyEnd: out.length })
    writeValue(rendering, table, base, depth)
    slots.release(base)
    reader.at = entryEnd
  } while (reader.isNext(tag, end))
  out.byte(closeBrace)
}

/** In `out`. */
interface WrittenKey {
  readonly keyStart: number
  readonly keyEnd: number
}

interface Entry extends WrittenKey {
  start: number
  end: number
}

function gatherEntries(rendering: Rendering, field: FieldTable, start: number, end: number, depth: number): Entry[] {
  const { reader, out, slots } = rendering
  const table = field.message!
  const entries: Entry[] = []
  const find = createKeySearch(out, entries)
  const place = out.length
  for (reader.at = start; reader.at < end; ) {
    const entryEnd = nextEntry(rendering, field, end, depth)
    if (entryEnd < 0) continue
    const entryStart = reader.at
    const keyStart = out.length
    const base = scanMessage(reader, slots, table, entryStart, entryEnd, depth + 1)
    writeKey(rendering, table, base, depth)
    slots.release(base)
    reader.at = entryEnd
    const known = find(keyStart)
    if (known) {
      known.start = entryStart
      known.end = entryEnd
      out.length = keyStart
    } else entries.push({ start: entryStart, end: entryEnd, keyStart, keyEnd: out.length })
  }
  out.length = place
  return entries
}

/** The key that was written last. */
function createKeySearch<Key extends WrittenKey>(
  out: JsonWriter,
  entries: readonly Key[],
): (keyStart: number) => Key | undefined {
  let byKey: Map<string, Key> | undefined
  const textOf = (start: number, end: number) => out.bytes.toString('latin1', start, end)
  return (keyStart) => {
    if (entries.length <= comparedKeys) {
      for (const entry of entries) if (isSameKey(out, entry, keyStart)) return entry
      return undefined
    }
    byKey ??= new Map()
    for (let index = byKey.size; index < entries.length; index++) {
      const entry = entries[index]!
      byKey.set(textOf(entry.keyStart, entry.keyEnd), entry)
    }
    return byKey.get(textOf(keyStart, out.length))
  }
}

function isSameKey({ bytes, length }: JsonWriter, { keyStart, keyEnd }: WrittenKey, otherStart: number): boolean {
  if (keyEnd - keyStart !== length - otherStart) return false
  let at = keyStart
  while (at < keyEnd && bytes[at] === bytes[otherStart + at - keyStart]) at++
  return at === keyEnd
}

/** -1 after another field. */
function nextEntry({ reader }: Rendering, field: FieldTable, end: number, depth: number): number {
  const tag = reader.varint32()
  if (tag >>> 3 === field.number && (tag & 7) === wireTypes.length) return reader.varint32() + reader.at
  reader.skip(tag, end, depth)
  return -1
}

function writeKey(rendering: Rendering, { fields }: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const key = fields[0]!
  const isText = key.zero!.text.startsWith('"')
  if (!isText) out.byte(quote)
  if (slots.places[base] !== 0) rendering.writers.writeField(rendering, key, base, depth)
  else out.literal(key.zero!)
  if (!isText) out.byte(quote)
}

function writeValue(rendering: Rendering, { fields }: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const value = fields[1]!
  out.byte(colon)
  if (slots.places[base + 2] !== 0) rendering.writers.writeField(rendering, value, base + 2, depth + 1)
  else if (value.zero) out.literal(value.zero)
  else rendering.writers.writeMessage(rendering, value.message!, 0, 0, depth + 2)
}

/** Above this number of keys an index is used. */
const comparedKeys = 32
const openBrace = 0x7b
const closeBrace = 0x7d
const comma = 0x2c
const colon = 0x3a
const quote = 0x22

import { depthLimit, MalformedMessageError, type WireReader, wireTypes } from '../wire/wire-reader.ts'
import { type FieldTable, type MessageTable, messageType, smallNumbers } from './message-table.ts'

/**
 * Returns the index of the first slot. As protobuf requires, the last occurrence of a field and the last member of a
 * oneof count, and message fields are merged.
 */
export function scanMessage(
  reader: WireReader,
  slots: FieldSlots,
  table: MessageTable,
  start: number,
  end: number,
  depth: number,
): number {
  if (depth > depthLimit) throw new MalformedMessageError(`messages are nested more than ${depthLimit} deep`)
  const { fields, bySmallNumber, byNumber } = table
  const base = slots.take(fields.length)
  reader.at = start
  while (reader.at < end) {
    const tagAt = reader.at
    const tag = reader.varint32()
    const number = tag >>> 3
    const index = number < smallNumbers ? bySmallNumber[number]! : (byNumber.get(number) ?? -1)
    const field = fields[index]
    if (field && (tag & 7) === field.wireType) recordField(reader, slots, field, base, base + index * 2, tagAt, tag)
    else if (field && isPacked(field, tag)) recordRange(reader, slots, base + index * 2, tagAt, tag)
    else if (number === 0) throw new MalformedMessageError('a field has the number 0')
    else reader.skip(tag, end, depth)
  }
  if (reader.at !== end) throw new MalformedMessageError('the message is cut off')
  return base
}

function recordField(
  reader: WireReader,
  slots: FieldSlots,
  field: FieldTable,
  base: number,
  slot: number,
  tagAt: number,
  tag: number,
): void {
  const { places } = slots
  if (field.cardinality !== 'singular') {
    recordRange(reader, slots, slot, tagAt, tag)
    return
  }
  if (field.oneofMembers.length > 0) for (const member of field.oneofMembers) places[base + member * 2] = 0
  if (field.wireType === wireTypes.varint) {
    const { bytes } = reader
    let { at } = reader
    places[slot] = at + 1
    while (bytes[at++]! >= 0x80);
    reader.at = at
    return
  }
  if (field.wireType !== wireTypes.length) {
    places[slot] = reader.at + 1
    reader.skipValue(tag)
    return
  }
  const length = reader.varint32()
  const start = reader.at
  reader.at = start + length
  if (field.type === messageType && places[slot] !== 0) merge(reader, slots, slot, start)
  else {
    places[slot] = start + 1
    places[slot + 1] = reader.at
  }
}

function recordRange(reader: WireReader, { places }: FieldSlots, slot: number, tagAt: number, tag: number): void {
  reader.skipValue(tag)
  if (places[slot] === 0) places[slot] = tagAt + 1
  places[slot + 1] = reader.at
}

/** Protobuf allows it for any list of numbers. */
export function isPacked(field: FieldTable, tag: number): boolean {
  return field.cardinality === 'list' && (tag & 7) === wireTypes.length && field.wireType !== wireTypes.length
}

/** Encoded messages are merged by concatenation. */
function merge(reader: WireReader, { places, merged }: FieldSlots, slot: number, start: number): void {
  const before = places[slot]!
  const earlier = before < 0 ? merged[-1 - before]! : reader.bytes.subarray(before - 1, places[slot + 1])
  const whole = Buffer.concat([earlier, reader.bytes.subarray(start, reader.at)])
  if (before < 0) merged[-1 - before] = whole
  else places[slot] = -merged.push(whole)
  places[slot + 1] = whole.length
}

/**
 * Two numbers for each field, in the order of its table. The first is 0 for an absent field, the offset + 1 of its
 * value (of a list or map: of its first tag), or -1 - n for the n-th of `merged`. The second is the end offset.
 */
export class FieldSlots {
  places: Int32Array = new Int32Array(512)
  top = 0
  merged: Uint8Array[] = []

  /** Returns the index of the first slot. */
  take(fields: number): number {
    const base = this.top
    this.top += fields * 2
    if (this.top > this.places.length) this.#grow()
    const { places, top } = this
    // Faster than `fill` for few slots.
    for (let slot = base; slot < top; slot++) places[slot] = 0
    return base
  }

  release(base: number): void {
    this.top = base
  }

  reset(): void {
    this.top = 0
    if (this.merged.length > 0) this.merged = []
  }

  #grow(): void {
    const grown = new Int32Array(Math.max(this.top, this.places.length * 2))
    grown.set(this.places)
    this.places = grown
  }
}

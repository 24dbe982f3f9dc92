import { depthLimit, MalformedMessageError, type WireReader, wireTypes } from '../wire/wire-reader.ts'
import { type FieldTable, hasWireType, indexOfField, type MessageTable, messageType } from './message-table.ts'

/**
 * Two numbers for each field, in the order of its table. The first is 0 for an absent field, the offset + 1 of its
 * value (of a list or map: of its first tag), or -1 - n for the n-th of `merged`. The second is the end offset.
 */
export class FieldSlots {
  places: Int32Array
  merged: Uint8Array[] = []
  #top = 0

  /** @param capacity - Numbers that fit before it grows. */
  constructor(capacity = 512) {
    this.places = new Int32Array(capacity)
  }

  /**
   * Returns the index of the first slot. As protobuf requires, the last occurrence of a field and the last member of a
   * oneof count, and message fields are merged.
   */
  scan(reader: WireReader, table: MessageTable, start: number, end: number, depth: number): number {
    if (depth > depthLimit) throw new MalformedMessageError(`messages are nested more than ${depthLimit} deep`)
    const { fields } = table
    const base = this.#take(fields.length)
    reader.at = start
    while (reader.at < end) {
      const tagAt = reader.at
      const tag = reader.varint32()
      const number = tag >>> 3
      const index = indexOfField(table, number)
      const field = index < 0 ? undefined : fields[index]
      if (field && hasWireType(field, tag)) {
        const slot = base + index * 2
        if (field.cardinality === 'singular') this.#recordValue(reader, field, base, slot, tag)
        else this.#recordRange(reader, slot, tagAt, tag)
      } else if (number === 0) throw new MalformedMessageError('a field has the number 0')
      else reader.skip(tag, end, depth)
    }
    if (reader.at !== end) throw new MalformedMessageError('the message is cut off')
    return base
  }

  release(base: number): void {
    this.#top = base
  }

  reset(): void {
    this.#top = 0
    if (this.merged.length > 0) this.merged = []
  }

  #take(fields: number): number {
    const base = this.#top
    const top = base + fields * 2
    this.#top = top
    if (top > this.places.length) {
      const grown = new Int32Array(Math.max(top, this.places.length * 2))
      grown.set(this.places)
      this.places = grown
    }
    const { places } = this
    // Faster than `fill` for few slots.
    for (let slot = base; slot < top; slot++) places[slot] = 0
    return base
  }

  #recordValue(reader: WireReader, field: FieldTable, base: number, slot: number, tag: number): void {
    const { places } = this
    if (field.oneofMembers.length > 0) for (const member of field.oneofMembers) places[base + member * 2] = 0
    if (field.wireType !== wireTypes.length) {
      places[slot] = reader.at + 1
      if (field.wireType === wireTypes.varint) while (reader.bytes[reader.at++]! >= 0x80);
      else reader.skipValue(tag)
      return
    }
    const length = reader.varint32()
    const start = reader.at
    reader.at = start + length
    if (field.type === messageType && places[slot] !== 0) this.#merge(reader, slot, start)
    else {
      places[slot] = start + 1
      places[slot + 1] = reader.at
    }
  }

  #recordRange(reader: WireReader, slot: number, tagAt: number, tag: number): void {
    const { places } = this
    reader.skipValue(tag)
    if (places[slot] === 0) places[slot] = tagAt + 1
    places[slot + 1] = reader.at
  }

  /** Encoded messages are merged by concatenation. */
  #merge(reader: WireReader, slot: number, start: number): void {
    const { places, merged } = this
    const before = places[slot]!
    const earlier = before < 0 ? merged[-1 - before]! : reader.bytes.subarray(before - 1, places[slot + 1])
    const whole = Buffer.concat([earlier, reader.bytes.subarray(start, reader.at)])
    if (before < 0) merged[-1 - before] = whole
    else places[slot] = -merged.push(whole)
    places[slot + 1] = whole.length
  }
}

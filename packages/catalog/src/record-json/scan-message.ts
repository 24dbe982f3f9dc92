import { depthLimit, MalformedMessageError, type WireReader, wireTypes } from '../wire/wire-reader.ts'
import type { FieldSlots } from './field-slots.ts'
import { type FieldTable, type MessageTable, messageType, smallNumbers } from './message-table.ts'

/**
 * Walks a message once and notes where its fields lie. Returns the index of the first slot.
 *
 * As protobuf demands: unknown fields are passed over, the last occurrence of a field and the last member of a oneof
 * count, and a message field that occurs several times is merged.
 *
 * @throws {MalformedMessageError}
 */
export function scanMessage(
  reader: WireReader,
  slots: FieldSlots,
  table: MessageTable,
  start: number,
  end: number,
  depth: number,
): number {
  if (depth > depthLimit) throw new MalformedMessageError(`more than ${depthLimit} messages lie within each other`)
  const { fields, bySmallNumber, byNumber } = table
  const base = slots.take(fields.length)
  reader.at = start
  while (reader.at < end) {
    const tagAt = reader.at
    const tag = reader.varint32()
    const number = tag >>> 3
    const index = number < smallNumbers ? bySmallNumber[number]! : (byNumber.get(number) ?? -1)
    if (number === 0) throw new MalformedMessageError('a field has the number 0')
    if (index === -1) reader.skip(tag, end, depth)
    else noteField(reader, slots, fields[index]!, base, index, tagAt, tag, end, depth)
  }
  if (reader.at !== end) throw new MalformedMessageError('the message is cut off')
  return base
}

function noteField(
  reader: WireReader,
  slots: FieldSlots,
  field: FieldTable,
  base: number,
  index: number,
  tagAt: number,
  tag: number,
  end: number,
  depth: number,
): void {
  const slot = base + index * 2
  const valueAt = reader.at
  if ((tag & 7) !== field.wireType && !isPacked(field, tag)) return reader.skip(tag, end, depth)
  const { places } = slots
  if (field.cardinality !== 'singular') {
    reader.skip(tag, end, depth)
    if (places[slot] === 0) places[slot] = tagAt + 1
    places[slot + 1] = reader.at
    return
  }
  for (const rival of field.rivals) places[base + rival * 2] = 0
  if (field.wireType !== wireTypes.length) {
    reader.skip(tag, end, depth)
    places[slot] = valueAt + 1
    return
  }
  const length = reader.varint32()
  const start = reader.at
  reader.at = start + length
  if (reader.at > end) throw new MalformedMessageError('a field is cut off')
  if (field.type === messageType && places[slot] !== 0) return merge(reader, slots, slot, start)
  places[slot] = start + 1
  places[slot + 1] = reader.at
}

/** Whether a repeated number field comes with its values packed together, which is allowed of each that is not. */
export function isPacked(field: FieldTable, tag: number): boolean {
  return field.cardinality === 'list' && (tag & 7) === wireTypes.length && field.wireType !== wireTypes.length
}

/** Encoded messages merge by lying one after the other. */
function merge(reader: WireReader, { places, merged }: FieldSlots, slot: number, start: number): void {
  const before = places[slot]!
  const earlier = before < 0 ? merged[-1 - before]! : reader.bytes.subarray(before - 1, places[slot + 1])
  const whole = Buffer.concat([earlier, reader.bytes.subarray(start, reader.at)])
  if (before < 0) merged[-1 - before] = whole
  else places[slot] = -merged.push(whole)
  places[slot + 1] = whole.length
}

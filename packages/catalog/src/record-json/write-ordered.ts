import { depthLimit, MalformedMessageError, wireTypes } from '../wire/wire-reader.ts'
import type { JsonWriter } from './json-writer.ts'
import { type FieldTable, type MessageTable, smallNumbers } from './message-table.ts'
import { outOfOrder } from './out-of-order.ts'
import { isPacked } from './scan-message.ts'
import { writeOrderedMap } from './write-map.ts'
import { closeList, type Rendering, writeDelimited, writeItems } from './write-message.ts'
import { writeScalar } from './write-scalar.ts'

/**
 * Renders the fields of a message while reading them, each with a comma before it. For a message as encoders write it:
 * in order of number, every field in one piece, of a oneof one member. Any other has to be looked through first, since
 * what comes later may replace what came before.
 *
 * @throws {MalformedMessageError} also where it has to be looked through. `out` holds a part of it then.
 */
export function writeOrderedMembers(
  rendering: Rendering,
  table: MessageTable,
  start: number,
  end: number,
  depth: number,
): void {
  if (depth > depthLimit) throw new MalformedMessageError(`more than ${depthLimit} messages lie within each other`)
  const { reader, out } = rendering
  const { fields, bySmallNumber, byNumber } = table
  let next = 0
  let oneofs = 0
  reader.at = start
  while (reader.at < end) {
    const tag = reader.varint32()
    const number = tag >>> 3
    const index = number < smallNumbers ? bySmallNumber[number]! : (byNumber.get(number) ?? -1)
    const field = fields[index]
    if (!field || ((tag & 7) !== field.wireType && !isPacked(field, tag))) {
      if (number === 0) throw new MalformedMessageError('a field has the number 0')
      reader.skip(tag, end, depth)
      continue
    }
    if (index < next || (oneofs & field.oneofBit) !== 0) throw outOfOrder
    oneofs |= field.oneofBit
    if (next < index) writeAbsent(out, fields, next, index)
    next = index + 1
    out.literal(field.name)
    writeOrderedField(rendering, field, tag, end, depth)
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

/** Renders a field whose tag, the first one of a list or map, has just been read. */
function writeOrderedField(rendering: Rendering, field: FieldTable, tag: number, end: number, depth: number): void {
  const { reader, out } = rendering
  if (field.cardinality === 'list') writeOrderedList(rendering, field, tag, end, depth)
  else if (field.cardinality === 'map') writeOrderedMap(rendering, field, tag, end, depth)
  else if (field.wireType === wireTypes.length) writeDelimited(rendering, field, end, depth)
  else writeScalar(out, reader, field)
}

function writeOrderedList(rendering: Rendering, field: FieldTable, tag: number, end: number, depth: number): void {
  const { reader, out } = rendering
  const first = out.length
  do writeItems(rendering, field, tag, end, depth)
  while (reader.isNext(tag, end))
  closeList(out, first)
}

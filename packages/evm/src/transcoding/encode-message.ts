import type { AnswerScanner, Scanned } from './answer-scanner.ts'
import type { BoundTable, Row } from './bound-table.ts'
import { type FieldWriter, MalformedField } from './field-writer.ts'

/**
 * Appends the message of an object, for which there must be space.
 *
 * @param shared The shared fields without their tags, in the order of `sharedNames`. An empty one is not written.
 * @param index Of the object in its list, for errors.
 * @throws {AnswerProblem} a member does not have the form of its field.
 */
export function encodeMessage(
  writer: FieldWriter,
  scanner: AnswerScanner,
  { label, members, required, rows }: BoundTable,
  object: Scanned,
  shared: readonly Uint8Array[],
  index?: number,
): void {
  let member = 0
  try {
    for (member of required) if (scanner.end(object, member) < 0) throw new MalformedField()
    for (const row of rows) {
      member = row.member
      const { at } = writer
      encodeField(writer, scanner, row, object, shared)
      if (!row.isPublished) writer.rewind(at)
    }
  } catch (error) {
    if (!(error instanceof MalformedField)) throw error
    throw scanner.invalid(`${index === undefined ? 'it' : `${label} ${index}`} has no valid ${members.names[member]}`)
  }
}

/** Of a member. 0: it is absent. -1: it is not a quantity of at most 2^53 − 1. */
export function numberOf(writer: FieldWriter, scanner: AnswerScanner, object: Scanned, member: number): number {
  const end = scanner.end(object, member)
  return end < 0 ? 0 : writer.number(scanner.start(object, member), end)
}

function encodeField(
  writer: FieldWriter,
  scanner: AnswerScanner,
  row: Row,
  object: Scanned,
  shared: readonly Uint8Array[],
): void {
  const { kind, tag, member } = row
  if (kind === 'shared') {
    const payload = shared[member]!
    if (payload.length === 0) return
    writer.varint(tag)
    writer.copy(payload)
    return
  }
  if (kind === 'measure') {
    const value = row.measure!(scanner, object)
    if (value > 0) writer.double(tag, value)
    return
  }
  let end = scanner.end(object, member)
  let start = scanner.start(object, member)
  if (row.otherwise !== member) {
    const [otherStart, otherEnd] = [scanner.start(object, row.otherwise), scanner.end(object, row.otherwise)]
    if (otherEnd >= 0) writer.checkQuantity(otherStart, otherEnd)
    if (end < 0) [start, end] = [otherStart, otherEnd]
  }
  if (end < 0) return
  if (kind === 'uint64') writer.uint64(tag, start, end, row.isKept)
  else if (kind === 'exact') writer.exact(tag, start, end)
  else if (kind === 'bytes') writer.bytesField(tag, start, end, row.isKept)
  else if (kind === 'uint32') writer.uint32(tag, start, end, row.isKept)
  else if (kind === 'hash') writer.hash(tag, start, end)
  else if (kind === 'address') writer.address(tag, start, end)
  else if (kind === 'integer') writer.integer(tag, start, end)
  else if (kind !== 'length') encodeElements(writer, scanner, row, start, end)
  else if (end > 0) writer.pair(tag, end)
}

function encodeElements(
  writer: FieldWriter,
  scanner: AnswerScanner,
  { kind, tag, nested }: Row,
  first: Scanned,
  count: number,
): void {
  let element = first
  for (let index = 0; index < count; index++) {
    if (kind === 'nested') {
      const begun = writer.beginNested(tag)
      encodeMessage(writer, scanner, nested!, element, [], index)
      writer.endNested(begun)
    } else {
      const start = scanner.start(element, 0)
      if (kind === 'word[]') writer.word(tag, start, scanner.end(element, 0))
      else writer.bytesField(tag, start, scanner.end(element, 0), true)
    }
    element = scanner.next(element)
  }
}

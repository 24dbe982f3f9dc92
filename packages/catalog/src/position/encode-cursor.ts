import { UserError } from '@headrace/queue'
import { writeVarint } from '../record-header/varint.ts'
import { type Cursor, type CursorTopic, cursorForms, cursorLimit, type PartitionPlace } from './cursor.ts'

/**
 * Encodes a cursor as base64url.
 *
 * A byte for the form; then for each topic: id and name, each with its length before it, the number of partitions, and
 * for each partition the offset and the seq + 1 (0: not known). Where a topic has `asOf`, the form is another: the number
 * of partitions is doubled, plus 1 for a topic with `asOf`, and in such a topic each place is followed by how many
 * offsets `asOf` lies ahead and, unless that is 0, its seq + 1. All numbers are unsigned LEB128 varints.
 *
 * @throws {UserError} `cursor_too_long`: more than 4,096 characters.
 */
export function encodeCursor(cursor: Cursor): string {
  const bytes = Buffer.allocUnsafe(cursor.topics.reduce((size, topic) => size + topicSize(topic), 1))
  const form = cursor.topics.some(({ asOf }) => asOf) ? cursorForms.asOf : cursorForms.plain
  bytes[0] = form
  let at = 1
  for (const topic of cursor.topics) at = writeTopic(bytes, at, topic, form)
  if (at > maxBytes) throw tooLong(cursor.topics.length)
  return bytes.toString('base64url', 0, at)
}

/** An upper bound: ids and names are ASCII, offsets have 63 bits. */
function topicSize({ id, topic, partitions, asOf }: CursorTopic): number {
  return 6 + id.length + topic.length + partitions.length * (asOf ? 36 : 18)
}

function writeTopic(bytes: Buffer, start: number, { id, topic, partitions, asOf }: CursorTopic, form: number): number {
  let at = writeText(bytes, start, id)
  at = writeText(bytes, at, topic)
  at = writeVarint(bytes, at, form === cursorForms.plain ? partitions.length : partitions.length * 2 + (asOf ? 1 : 0))
  for (const [partition, { offset, seq }] of partitions.entries()) {
    at = writeOffset(bytes, at, offset)
    at = writeSeq(bytes, at, seq)
    if (asOf) at = writeAhead(bytes, at, offset, asOf[partition]!)
  }
  return at
}

function writeAhead(bytes: Buffer, start: number, offset: bigint, asOf: PartitionPlace): number {
  if (asOf.offset <= offset) return writeVarint(bytes, start, 0)
  return writeSeq(bytes, writeOffset(bytes, start, asOf.offset - offset), asOf.seq)
}

function writeSeq(bytes: Buffer, at: number, seq: number | null): number {
  return writeVarint(bytes, at, seq === null ? 0 : seq + 1)
}

function writeText(bytes: Buffer, start: number, text: string): number {
  const at = writeVarint(bytes, start, text.length)
  return at + bytes.write(text, at, 'latin1')
}

function writeOffset(bytes: Buffer, start: number, offset: bigint): number {
  if (offset <= Number.MAX_SAFE_INTEGER) return writeVarint(bytes, start, Number(offset))
  let at = start
  let rest = offset
  for (; rest >= 0x80n; rest >>= 7n) bytes[at++] = Number(rest & 0x7fn) | 0x80
  bytes[at++] = Number(rest)
  return at
}

function tooLong(topics: number): UserError {
  return new UserError(
    'cursor_too_long',
    `A cursor over these ${topics} topics would have more than ${cursorLimit} characters. Read fewer topics at once.`,
  )
}

const maxBytes = Math.floor((cursorLimit * 3) / 4)

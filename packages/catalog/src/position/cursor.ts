import { UserError } from '@headrace/queue'
import { readVarint, writeVarint } from '../record-header/varint.ts'

/** Records before it have been read. */
export interface Cursor {
  readonly topics: readonly CursorTopic[]
}

export interface CursorTopic {
  /** Changes when a topic is created again. */
  readonly id: string
  readonly topic: string
  /** A partition that is not listed begins at its earliest record. */
  readonly partitions: readonly PartitionPlace[]
  /** Heads of a canonical view: records that were reverted before them are omitted, and the log is read after them. */
  readonly asOf?: readonly PartitionPlace[]
}

export interface PartitionPlace {
  readonly offset: bigint
  /** The seq of the next record; `null` if unknown. */
  readonly seq: number | null
}

/** A place in each partition, by partition number. */
export interface ResolvedPosition {
  readonly partitions: readonly PartitionPlace[]
  /** As `CursorTopic.asOf`. */
  readonly asOf?: readonly PartitionPlace[]
}

/** Maximum length of a cursor, in characters. */
export const cursorLimit = 4096

/** First byte of an encoded cursor. */
const cursorForms = { plain: 1, asOf: 2 } as const

/**
 * As base64url: a byte for the format, then for each topic the length and text of id and name, the number of
 * partitions, and for each partition offset and seq + 1 (0: unknown). In the format `asOf`, the number of partitions is
 * doubled, plus 1 for a topic with `asOf`; each of its places is followed by the distance to the offset of `asOf` and,
 * unless it is 0, the seq + 1 there. Numbers are unsigned LEB128 varints.
 *
 * @throws {UserError} `cursor_too_long`
 */
export function encodeCursor(cursor: Cursor): string {
  const bytes = Buffer.allocUnsafe(cursor.topics.reduce((size, topic) => size + topicSize(topic), 1))
  const form = cursor.topics.some(({ asOf }) => asOf) ? cursorForms.asOf : cursorForms.plain
  bytes[0] = form
  let at = 1
  for (const topic of cursor.topics) at = writeTopic(bytes, at, topic, form)
  if (at > maxBytes)
    throw new UserError(
      'cursor_too_long',
      `A cursor over these ${cursor.topics.length} topics would have more than ${cursorLimit} characters. ` +
        'Read fewer topics at once.',
    )
  return bytes.toString('base64url', 0, at)
}

/** Upper bound: ids and names are ASCII, offsets have at most 63 bits. */
function topicSize({ id, topic, partitions, asOf }: CursorTopic): number {
  return 6 + id.length + topic.length + partitions.length * (asOf ? 36 : 18)
}

function writeTopic(bytes: Buffer, start: number, { id, topic, partitions, asOf }: CursorTopic, form: number): number {
  let at = writeText(bytes, start, id)
  at = writeText(bytes, at, topic)
  at = writeVarint(bytes, at, form === cursorForms.plain ? partitions.length : partitions.length * 2 + (asOf ? 1 : 0))
  for (const [partition, place] of partitions.entries()) {
    at = writePlace(bytes, at, place)
    if (asOf) at = writeDistance(bytes, at, place.offset, asOf[partition]!)
  }
  return at
}

/** As in a cursor. Returns the offset after it. */
export function writePlace(bytes: Buffer, at: number, { offset, seq }: PartitionPlace): number {
  return writeSeq(bytes, writeOffset(bytes, at, offset), seq)
}

function writeDistance(bytes: Buffer, start: number, offset: bigint, asOf: PartitionPlace): number {
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

const maxBytes = Math.floor((cursorLimit * 3) / 4)

/**
 * No number in the text decides how much is allocated.
 *
 * @throws {UserError} `invalid_cursor`
 */
export function decodeCursor(text: string): Cursor {
  if (text.length > cursorLimit)
    throw invalid(`it has ${text.length} characters, and at most ${cursorLimit} are allowed`)
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw invalid('it has characters other than A-Z, a-z, 0-9, "-" and "_"')
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw invalid('it is incomplete')
  const form = bytes[0]
  if (form !== cursorForms.plain && form !== cursorForms.asOf) throw invalid('its format is unknown')
  const cursor = { at: 1 }
  const topics: CursorTopic[] = []
  const names = new Set<string>()
  while (cursor.at < bytes.length) {
    const topic = readTopic(bytes, cursor, form)
    if (!topic || names.has(topic.topic)) throw invalid('its content is damaged')
    names.add(topic.topic)
    topics.push(topic)
  }
  if (topics.length === 0) throw invalid('it is incomplete')
  return { topics }
}

function readTopic(bytes: Buffer, cursor: { at: number }, form: number): CursorTopic | undefined {
  const id = readText(bytes, cursor, /^[\x21-\x7e]{1,64}$/)
  const topic = readText(bytes, cursor, /^[A-Za-z0-9._-]{1,249}$/)
  const counted = readVarint(bytes, cursor)
  if (id === undefined || topic === undefined || counted === undefined) return undefined
  const count = form === cursorForms.plain ? counted : Math.floor(counted / 2)
  if (count > partitionLimit) return undefined
  const asOf: PartitionPlace[] | undefined = form === cursorForms.asOf && counted % 2 === 1 ? [] : undefined
  const partitions: PartitionPlace[] = []
  for (let partition = 0; partition < count; partition++) {
    const place = readPlace(bytes, cursor)
    if (!place) return undefined
    partitions.push(place)
    if (!asOf) continue
    const head = readAsOf(bytes, cursor, place)
    if (!head) return undefined
    asOf.push(head)
  }
  return asOf ? { id, topic, partitions, asOf } : { id, topic, partitions }
}

function readPlace(bytes: Buffer, cursor: { at: number }): PartitionPlace | undefined {
  const offset = readOffset(bytes, cursor)
  const seq = readVarint(bytes, cursor)
  if (offset === undefined || seq === undefined) return undefined
  return { offset, seq: seq === 0 ? null : seq - 1 }
}

function readAsOf(bytes: Buffer, cursor: { at: number }, place: PartitionPlace): PartitionPlace | undefined {
  const ahead = readOffset(bytes, cursor)
  if (ahead === 0n) return place
  const seq = readVarint(bytes, cursor)
  if (ahead === undefined || seq === undefined || place.offset + ahead > largestOffset) return undefined
  return { offset: place.offset + ahead, seq: seq === 0 ? null : seq - 1 }
}

function readText(bytes: Buffer, cursor: { at: number }, pattern: RegExp): string | undefined {
  const length = readVarint(bytes, cursor)
  if (length === undefined || length > bytes.length - cursor.at) return undefined
  const text = bytes.toString('latin1', cursor.at, cursor.at + length)
  cursor.at += length
  return pattern.test(text) ? text : undefined
}

function readOffset(bytes: Buffer, cursor: { at: number }): bigint | undefined {
  let value = 0n
  for (let shift = 0n; shift < 63n; shift += 7n) {
    const byte = bytes[cursor.at++]
    if (byte === undefined) return undefined
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
  return undefined
}

function invalid(what: string): UserError {
  return new UserError(
    'invalid_cursor',
    `This cursor cannot be read: ${what}. Use a cursor exactly as it was received, or a position such as "earliest".`,
  )
}

const partitionLimit = 64
const largestOffset = 2n ** 63n - 1n

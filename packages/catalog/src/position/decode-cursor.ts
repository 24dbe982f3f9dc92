import { UserError } from '@headrace/queue'
import { readVarint } from '../record-header/varint.ts'
import { type Cursor, type CursorTopic, cursorForms, cursorLimit, type PartitionPlace } from './cursor.ts'

/**
 * Decodes a cursor. Its text may come from anybody: it is checked in full, and nothing is allocated by a number in it.
 *
 * @throws {UserError} `invalid_cursor`
 */
export function decodeCursor(text: string): Cursor {
  if (text.length > cursorLimit) throw invalid(`it has ${text.length} characters, and ${cursorLimit} are allowed`)
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw invalid('it holds characters that are not base64url')
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw invalid('it is cut off')
  const form = bytes[0]
  if (form !== cursorForms.plain && form !== cursorForms.asOf) throw invalid('it has an unknown version')
  const cursor = { at: 1 }
  const topics: CursorTopic[] = []
  const names = new Set<string>()
  while (cursor.at < bytes.length) {
    const topic = readTopic(bytes, cursor, form)
    if (!topic || names.has(topic.topic)) throw invalid('it is damaged')
    names.add(topic.topic)
    topics.push(topic)
  }
  if (topics.length === 0) throw invalid('it is cut off')
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
    const head = readAhead(bytes, cursor, place)
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

function readAhead(bytes: Buffer, cursor: { at: number }, place: PartitionPlace): PartitionPlace | undefined {
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

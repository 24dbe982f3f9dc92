import type { Header } from '@headrace/queue'
import { readVarint, varintSize, writeVarint } from './varint.ts'

/** What the headers of a record say about it. */
export interface RecordHeaders {
  /** Number of the unit that the record came with, from 1. Absent on records that a foreign producer wrote. */
  readonly unit?: number
  /** How many records lie before it in its partition. Absent as `unit` is. */
  readonly seq?: number
  readonly op: 'append' | 'revert'
  /** On a revert: the seq of the record that it takes back. */
  readonly reverts?: number
  /** Why the message could not be produced. The record only keeps its place. */
  readonly error?: string
}

/** Names of the headers that this project writes. */
export const headerKeys = { at: 'at', op: 'op', reverts: 'reverts', error: 'error' } as const

/** Encodes the value of the `at` header: unit number and seq, two unsigned LEB128 varints. */
export function encodeAt(unit: number, seq: number): Uint8Array {
  const bytes = new Uint8Array(varintSize(unit) + varintSize(seq))
  writeVarint(bytes, writeVarint(bytes, 0, unit), seq)
  return bytes
}

/** Encodes the value of the `reverts` header: a seq, one unsigned LEB128 varint. */
export function encodeReverts(seq: number): Uint8Array {
  const bytes = new Uint8Array(varintSize(seq))
  writeVarint(bytes, 0, seq)
  return bytes
}

/** Reads the headers of a record. A header that is not of our form counts as absent. Of several, the last one counts. */
export function readRecordHeaders(headers: readonly Header[]): RecordHeaders {
  const read: Reading = { op: 'append' }
  for (const { key, value } of headers) {
    if (key === headerKeys.at) readAt(read, value)
    else if (key === headerKeys.op) read.op = decodeText(value) === 'revert' ? 'revert' : 'append'
    else if (key === headerKeys.reverts) readReverts(read, value)
    else if (key === headerKeys.error) read.error = decodeText(value)
  }
  return read
}

type Reading = { -readonly [Name in keyof RecordHeaders]: RecordHeaders[Name] }

function readAt(read: Reading, value: Uint8Array): void {
  const cursor = { at: 0 }
  const unit = readVarint(value, cursor)
  const seq = readVarint(value, cursor)
  if (unit === undefined || seq === undefined || cursor.at !== value.length) return
  read.unit = unit
  read.seq = seq
}

function readReverts(read: Reading, value: Uint8Array): void {
  const cursor = { at: 0 }
  const reverts = readVarint(value, cursor)
  if (reverts !== undefined && cursor.at === value.length) read.reverts = reverts
}

function decodeText(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8')
}

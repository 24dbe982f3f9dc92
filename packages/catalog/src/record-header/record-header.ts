import type { Header } from '@headrace/queue'
import { readVarint, varintSize, writeVarint } from './varint.ts'

export interface RecordHeaders {
  /** From 1. Absent if a foreign producer wrote the record. */
  readonly unit?: number
  /** Number of records before it in its partition. Absent as `unit`. */
  readonly seq?: number
  readonly op: 'append' | 'revert'
  /** Seq of the reverted record. */
  readonly reverts?: number
  /** The message could not be produced: the record only reserves its seq. */
  readonly error?: string
}

export const headerKeys = {
  at: 'at',
  op: 'op',
  reverts: 'reverts',
  error: 'error',
  /** Of Confluent: `encodeSchemaId`. Only on Kafka, whose other readers decode values by it. */
  schema: '__value_schema_id',
} as const

/** Two unsigned LEB128 varints. */
export function encodeAt(unit: number, seq: number): Uint8Array {
  const bytes = new Uint8Array(varintSize(unit) + varintSize(seq))
  writeVarint(bytes, writeVarint(bytes, 0, unit), seq)
  return bytes
}

/** An unsigned LEB128 varint. */
export function encodeReverts(seq: number): Uint8Array {
  const bytes = new Uint8Array(varintSize(seq))
  writeVarint(bytes, 0, seq)
  return bytes
}

/** Invalid headers are ignored. */
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

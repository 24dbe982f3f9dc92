import { UserError } from '../errors.ts'
import type { NewRecord } from '../queue.ts'
import type { Header } from './record-batch.ts'
import { varintSize, writeVarint, writeVarlong } from './varint.ts'

export type BatchedRecord = Pick<NewRecord, 'key' | 'value' | 'headers' | 'time'>

/** @throws {UserError} `invalid_record`. */
export function checkRecord({ key, value, time }: BatchedRecord): void {
  if (!Number.isSafeInteger(time) || time < 0) {
    throw invalidRecord(`its time is ${time}`, 'a time is a non-negative integer of milliseconds since the Unix epoch')
  }
  if (key !== null && !(key instanceof Uint8Array)) throw invalidRecord(`its key is ${typeof key}`, bytesOrNull)
  if (value !== null && !(value instanceof Uint8Array)) throw invalidRecord(`its value is ${typeof value}`, bytesOrNull)
}

const bytesOrNull = 'keys and values are Uint8Array or null'

function invalidRecord(found: string, allowed: string): UserError {
  return new UserError('invalid_record', `A record cannot be published: ${found}; ${allowed}.`)
}

/** Without the length and the two deltas, which depend on the position in the batch. */
export function sizeOfContent({ key, value, headers }: BatchedRecord): number {
  const size = 1 + sizeOfBytes(key) + sizeOfBytes(value)
  return headers === undefined ? size + 1 : size + sizeOfHeaders(headers)
}

function sizeOfBytes(bytes: Uint8Array | null): number {
  return bytes === null ? 1 : varintSize(bytes.length) + bytes.length
}

function sizeOfHeaders(headers: readonly Header[]): number {
  let size = varintSize(headers.length)
  for (let index = 0; index < headers.length; index++) {
    const { key, value } = headers[index]!
    const keyBytes = utf8Length(key)
    size += varintSize(keyBytes) + keyBytes + sizeOfBytes(value)
  }
  return size
}

/** Returns the position after the record, which has `size` bytes without its length. */
export function writeRecord(
  bytes: Uint8Array,
  at: number,
  record: BatchedRecord,
  size: number,
  timeDelta: number,
  offsetDelta: number,
): number {
  at = writeVarint(bytes, at, size)
  bytes[at] = 0
  at = writeVarlong(bytes, at + 1, timeDelta)
  at = writeVarint(bytes, at, offsetDelta)
  at = writeBytes(bytes, at, record.key)
  at = writeBytes(bytes, at, record.value)
  if (record.headers !== undefined) return writeHeaders(bytes, at, record.headers)
  bytes[at] = 0
  return at + 1
}

function writeHeaders(bytes: Uint8Array, at: number, headers: readonly Header[]): number {
  at = writeVarint(bytes, at, headers.length)
  for (let index = 0; index < headers.length; index++) {
    const { key, value } = headers[index]!
    at = writeUtf8(bytes, at, key)
    at = writeBytes(bytes, at, value)
  }
  return at
}

function writeBytes(bytes: Uint8Array, at: number, source: Uint8Array | null): number {
  if (source === null) {
    bytes[at] = 1
    return at + 1
  }
  const { length } = source
  at = writeVarint(bytes, at, length)
  // Measured: a call of `set` takes as long as copying eight bytes one by one.
  if (length > 8) bytes.set(source, at)
  else for (let index = 0; index < length; index++) bytes[at + index] = source[index]!
  return at + length
}

function utf8Length(text: string): number {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= 0x80) return Buffer.byteLength(text)
  }
  return text.length
}

/** Header keys are nearly always short ASCII: copying characters is faster than calling an encoder. */
function writeUtf8(bytes: Uint8Array, at: number, text: string): number {
  const { length } = text
  if (length >= 0x40) return writeAnyUtf8(bytes, at, text)
  bytes[at] = length << 1
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0x80) return writeAnyUtf8(bytes, at, text)
    bytes[at + 1 + index] = code
  }
  return at + 1 + length
}

function writeAnyUtf8(bytes: Uint8Array, at: number, text: string): number {
  const length = utf8Length(text)
  at = writeVarint(bytes, at, length)
  utf8.encodeInto(text, bytes.subarray(at, at + length))
  return at + length
}

const utf8 = new TextEncoder()

import { UserError } from '../errors.ts'
import type { NewRecord } from '../queue.ts'
import { encodeAttributes } from './attributes.ts'
import { type Compression, compress } from './compression.ts'
import { crc32c } from './crc32c.ts'
import { batchLayout, batchMagic, uncountedBytes } from './layout.ts'
import { varintSize, varlongSize, writeVarint, writeVarlong } from './varint.ts'

/** The part of a record that a batch holds. */
export type BatchedRecord = Pick<NewRecord, 'key' | 'value' | 'headers' | 'time'>

export interface BatchHeader {
  /** Default 0. */
  baseOffset?: bigint
  /** Default −1: no producer. */
  producerId?: bigint
  producerEpoch?: number
  baseSequence?: number
  transactional?: boolean
  /** Default `none`. */
  compression?: Compression
}

/** Records on their way into one batch. */
export interface BatchEncoder {
  readonly count: number
  /** Bytes of the batch so far, its header included, before compression. */
  readonly byteLength: number
  /** The highest time of its records in ms since the Unix epoch, −1 without records. */
  readonly maxTime: number
  /** Adds a record by copying it. Throws `UserError` (`invalid_record`) and adds nothing where it is none. */
  append(record: BatchedRecord): void
  /**
   * The batch: bytes of this encoder, to be used before the next `append`, `finish` or `reset`. May be called again
   * with another header.
   */
  finish(header?: BatchHeader): Uint8Array
  /** Begins the next batch in the same memory. */
  reset(): void
}

/**
 * Encodes records into a batch of Kafka's record format v2 (magic 2), each at once and into one growing buffer.
 *
 * @param initialBytes - Size of the buffer to begin with.
 */
export function createBatchEncoder(initialBytes = 1024): BatchEncoder {
  let bytes = new Uint8Array(Math.max(initialBytes, batchLayout.records))
  let length: number = batchLayout.records
  let count = 0
  let baseTime = 0
  let maxTime = -1
  let compressed: { by: Compression; batch: Uint8Array } | undefined

  function reserve(more: number): void {
    if (length + more <= bytes.length) return
    const grown = new Uint8Array(Math.max(bytes.length * 2, length + more))
    grown.set(bytes.subarray(0, length))
    bytes = grown
  }

  function compressedBatch(by: Exclude<Compression, 'none'>): Uint8Array {
    if (compressed?.by === by) return compressed.batch
    const records = compress(by, bytes.subarray(batchLayout.records, length))
    const batch = new Uint8Array(batchLayout.records + records.length)
    batch.set(records, batchLayout.records)
    compressed = { by, batch }
    return batch
  }

  return {
    get count() {
      return count
    },
    get byteLength() {
      return length
    },
    get maxTime() {
      return maxTime
    },
    append(record) {
      checkRecord(record)
      const timeDelta = count === 0 ? 0 : record.time - baseTime
      const size = sizeOfContent(record) + varlongSize(timeDelta) + varintSize(count)
      reserve(size + varintSize(size))
      length = writeRecord(bytes, length, record, { size, timeDelta, offsetDelta: count })
      compressed = undefined
      if (count === 0) baseTime = record.time
      if (record.time > maxTime) maxTime = record.time
      count++
    },
    finish(header = {}) {
      if (count === 0) throw new TypeError('A batch without records cannot be finished.')
      const { compression = 'none' } = header
      const batch = compression === 'none' ? bytes.subarray(0, length) : compressedBatch(compression)
      writeBatchHeader(batch, header, { count, baseTime, maxTime })
      return batch
    },
    reset() {
      length = batchLayout.records
      count = 0
      maxTime = -1
      compressed = undefined
    },
  }
}

/** Moves a finished batch to another offset. Its checksum does not cover the offset, so it stays as it is. */
export function setBaseOffset(batch: Uint8Array, baseOffset: bigint): void {
  new DataView(batch.buffer, batch.byteOffset).setBigInt64(batchLayout.baseOffset, baseOffset)
}

/**
 * Bytes that a record takes in an uncompressed batch at most: its place there decides over a few bytes.
 *
 * @throws {UserError} `invalid_record`.
 */
export function encodedRecordSize(record: BatchedRecord): number {
  checkRecord(record)
  const size = sizeOfContent(record) + largestTimeDeltaBytes + largestOffsetDeltaBytes
  return size + varintSize(size)
}

const largestTimeDeltaBytes = varlongSize(Number.MAX_SAFE_INTEGER)
const largestOffsetDeltaBytes = varintSize(0x7fff_ffff)

function checkRecord({ key, value, time }: BatchedRecord): void {
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

/** Bytes of a record without its length and the two deltas, which depend on its place. */
function sizeOfContent({ key, value, headers }: BatchedRecord): number {
  let size = 1 + sizeOfBytes(key) + sizeOfBytes(value)
  if (headers === undefined) return size + 1
  size += varintSize(headers.length)
  for (const header of headers) {
    const keyBytes = utf8Length(header.key)
    size += varintSize(keyBytes) + keyBytes + sizeOfBytes(header.value)
  }
  return size
}

function sizeOfBytes(bytes: Uint8Array | null): number {
  return bytes === null ? 1 : varintSize(bytes.length) + bytes.length
}

/** Writes a record where its bytes are reserved and returns the place after it. */
function writeRecord(
  bytes: Uint8Array,
  at: number,
  { key, value, headers }: BatchedRecord,
  { size, timeDelta, offsetDelta }: { size: number; timeDelta: number; offsetDelta: number },
): number {
  at = writeVarint(bytes, at, size)
  bytes[at++] = 0
  at = writeVarlong(bytes, at, timeDelta)
  at = writeVarint(bytes, at, offsetDelta)
  at = writeBytes(bytes, at, key)
  at = writeBytes(bytes, at, value)
  if (headers === undefined) {
    bytes[at] = 0
    return at + 1
  }
  at = writeVarint(bytes, at, headers.length)
  for (const header of headers) {
    at = writeUtf8(bytes, at, header.key)
    at = writeBytes(bytes, at, header.value)
  }
  return at
}

function writeBytes(bytes: Uint8Array, at: number, source: Uint8Array | null): number {
  if (source === null) return writeVarint(bytes, at, -1)
  const { length } = source
  at = writeVarint(bytes, at, length)
  // A call of `set` costs more than copying a few bytes.
  if (length > 32) bytes.set(source, at)
  else for (let index = 0; index < length; index++) bytes[at + index] = source[index]!
  return at + length
}

function utf8Length(text: string): number {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= 0x80) return Buffer.byteLength(text)
  }
  return text.length
}

function writeUtf8(bytes: Uint8Array, at: number, text: string): number {
  const length = utf8Length(text)
  at = writeVarint(bytes, at, length)
  if (length > text.length) utf8.encodeInto(text, bytes.subarray(at))
  else for (let index = 0; index < length; index++) bytes[at + index] = text.charCodeAt(index)
  return at + length
}

const utf8 = new TextEncoder()

function writeBatchHeader(
  batch: Uint8Array,
  header: BatchHeader,
  { count, baseTime, maxTime }: { count: number; baseTime: number; maxTime: number },
): void {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.length)
  view.setBigInt64(batchLayout.baseOffset, header.baseOffset ?? 0n)
  view.setInt32(batchLayout.length, batch.length - uncountedBytes)
  view.setInt32(batchLayout.leaderEpoch, -1)
  view.setInt8(batchLayout.magic, batchMagic)
  view.setInt16(batchLayout.attributes, encodeAttributes(header.compression ?? 'none', header.transactional ?? false))
  view.setInt32(batchLayout.lastOffsetDelta, count - 1)
  view.setBigInt64(batchLayout.baseTime, BigInt(baseTime))
  view.setBigInt64(batchLayout.maxTime, BigInt(maxTime))
  view.setBigInt64(batchLayout.producerId, header.producerId ?? -1n)
  view.setInt16(batchLayout.producerEpoch, header.producerEpoch ?? -1)
  view.setInt32(batchLayout.baseSequence, header.baseSequence ?? -1)
  view.setInt32(batchLayout.count, count)
  view.setUint32(batchLayout.checksum, crc32c(batch, batchLayout.attributes))
}

import {
  type Compression,
  type CompressionLevels,
  compress,
  compressInBackground,
  fastestLevels,
} from './compression.ts'
import { crc32c } from './crc32c.ts'
import { type BatchedRecord, checkRecord, sizeOfContent, writeRecord } from './encode-record.ts'
import { batchLayout, batchMagic, encodeAttributes, uncountedBytes } from './layout.ts'
import type { QueueRecord } from './record-batch.ts'
import type { StoredBatch } from './stored-batch.ts'
import { varintSize, varlongSize } from './varint.ts'

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
  /** Default: the number of records − 1, which is wrong if `append` got an `offsetDelta`. */
  lastOffsetDelta?: number
}

/**
 * Largest size in an uncompressed batch: the actual one also depends on the position.
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

/**
 * Encodes records at once, in Kafka's format v2. A class, because V8 stores numbers in its fields without allocating,
 * unlike in a closure.
 */
export class BatchEncoder {
  #bytes: Uint8Array
  #length: number = batchLayout.records
  #count = 0
  #baseTime = 0
  #maxTime = -1
  #compressed: CompressedBatch | undefined
  /** Number of running calls of `compress`, which read the memory. */
  #readers = 0

  constructor(initialBytes = 1024) {
    this.#bytes = new Uint8Array(Math.max(initialBytes, batchLayout.records))
  }

  get count(): number {
    return this.#count
  }
  /** Uncompressed, with its header. */
  get byteLength(): number {
    return this.#length
  }
  /** In ms since the Unix epoch, −1 without records. */
  get maxTime(): number {
    return this.#maxTime
  }

  append(record: BatchedRecord, offsetDelta: number = this.#count): void {
    this.tryAppend(record, Number.POSITIVE_INFINITY, offsetDelta)
  }

  /**
   * Adds a record and returns true, unless the batch would exceed `maxBytes`.
   *
   * @throws {UserError} `invalid_record`; nothing is added.
   */
  tryAppend(record: BatchedRecord, maxBytes: number, offsetDelta: number = this.#count): boolean {
    checkRecord(record)
    const { time } = record
    const count = this.#count
    const timeDelta = count === 0 ? 0 : time - this.#baseTime
    const size = sizeOfContent(record) + varlongSize(timeDelta) + varintSize(offsetDelta)
    const end = this.#length + varintSize(size) + size
    if (end > maxBytes) return false
    if (end > this.#bytes.length) this.#grow(end)
    writeRecord(this.#bytes, this.#length, record, size, timeDelta, offsetDelta)
    this.#length = end
    this.#count = count + 1
    if (count === 0) this.#baseTime = time
    if (time > this.#maxTime) this.#maxTime = time
    this.#compressed = undefined
    return true
  }

  /**
   * Compresses before `finish`, with gzip and zstd on a thread of libuv's pool. The batch may be changed at any time: an
   * outdated result is dropped.
   */
  async compress(by: Compression, levels: CompressionLevels = fastestLevels): Promise<void> {
    if (by === 'none' || this.#count === 0 || this.#compressed?.by === by) return
    const count = this.#count
    const bytes = this.#bytes
    this.#readers++
    try {
      const records = await compressInBackground(by, this.#records(), levels)
      // A reset takes new memory, because this call has read the old one.
      if (this.#count === count && this.#bytes === bytes) this.#compressed = this.#compressedBatch(by, records)
    } finally {
      this.#readers--
    }
  }

  /**
   * Valid until the next `append`, `finish` or `reset`. May be called again with another header. Records that
   * compression does not make smaller are stored uncompressed.
   */
  finish(header: BatchHeader = {}): Uint8Array {
    const { compression = 'none', lastOffsetDelta = this.#count - 1 } = header
    if (lastOffsetDelta < 0) throw new TypeError('A batch without records cannot be finished.')
    if (compression !== 'none' && this.#compressed?.by !== compression) {
      this.#compressed = this.#compressedBatch(compression, compress(compression, this.#records()))
    }
    const compressed = compression === 'none' ? undefined : this.#compressed?.batch
    const batch = compressed ?? this.#bytes.subarray(0, this.#length)
    const view = new DataView(batch.buffer, batch.byteOffset, batch.length)
    view.setBigInt64(batchLayout.baseOffset, header.baseOffset ?? 0n)
    view.setInt32(batchLayout.length, batch.length - uncountedBytes)
    view.setInt32(batchLayout.leaderEpoch, -1)
    view.setInt8(batchLayout.magic, batchMagic)
    const codec = compressed === undefined ? 'none' : compression
    view.setInt16(batchLayout.attributes, encodeAttributes(codec, header.transactional ?? false))
    view.setInt32(batchLayout.lastOffsetDelta, lastOffsetDelta)
    view.setBigInt64(batchLayout.baseTime, BigInt(this.#baseTime))
    view.setBigInt64(batchLayout.maxTime, BigInt(this.#maxTime))
    view.setBigInt64(batchLayout.producerId, header.producerId ?? -1n)
    view.setInt16(batchLayout.producerEpoch, header.producerEpoch ?? -1)
    view.setInt32(batchLayout.baseSequence, header.baseSequence ?? -1)
    view.setInt32(batchLayout.count, this.#count)
    view.setUint32(batchLayout.checksum, crc32c(batch.subarray(batchLayout.attributes)))
    return batch
  }

  /** Starts the next batch in the same memory. */
  reset(): void {
    // A running `compress` reads the old memory.
    if (this.#readers > 0) this.#bytes = new Uint8Array(batchLayout.records)
    this.#length = batchLayout.records
    this.#count = 0
    this.#maxTime = -1
    this.#compressed = undefined
  }

  #records(): Uint8Array {
    return this.#bytes.subarray(batchLayout.records, this.#length)
  }

  #grow(minBytes: number): void {
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, minBytes))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }

  #compressedBatch(by: Compression, records: Uint8Array): CompressedBatch {
    const length = batchLayout.records + records.length
    if (length >= this.#length) return { by, batch: undefined }
    const batch = new Uint8Array(length)
    batch.set(records, batchLayout.records)
    return { by, batch }
  }
}

/** Encodes the records that compaction keeps: each has its own offset. */
export function encodeCompacted(
  records: readonly QueueRecord[],
  { baseOffset, lastOffset }: Pick<StoredBatch, 'baseOffset' | 'lastOffset'>,
): Uint8Array {
  const encoder = new BatchEncoder()
  for (const record of records) encoder.append(record, Number(record.offset - baseOffset))
  return encoder.finish({ baseOffset, lastOffsetDelta: Number(lastOffset - baseOffset) })
}

/** Sets the base offset of a finished batch, which the checksum does not cover. */
export function setBaseOffset(batch: Uint8Array, baseOffset: bigint): void {
  new DataView(batch.buffer, batch.byteOffset).setBigInt64(batchLayout.baseOffset, baseOffset)
}

interface CompressedBatch {
  readonly by: Compression
  /** `undefined` if it is not smaller. */
  readonly batch: Uint8Array | undefined
}

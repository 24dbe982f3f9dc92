import { type BatchHeader, writeBatchHeader } from './batch-header.ts'
import { type Compression, compress, compressInBackground } from './compression.ts'
import { type BatchedRecord, checkRecord, sizeInPlace, sizeOfContent, writeRecord } from './encode-record.ts'
import { batchLayout } from './layout.ts'
import { varintSize, varlongSize } from './varint.ts'

/** Records on their way into one batch. */
export interface BatchEncoder {
  readonly count: number
  /** Bytes of the batch so far, its header included, before compression. */
  readonly byteLength: number
  /** The highest time of its records in ms since the Unix epoch, −1 without records. */
  readonly maxTime: number
  /**
   * Adds a record by copying it, unless the batch would then be larger than `maxBytes`.
   *
   * @returns Whether it was added.
   * @throws {UserError} `invalid_record`; nothing is added.
   */
  tryAppend(record: BatchedRecord, maxBytes: number): boolean
  /** As `tryAppend`, however large the batch becomes. */
  append(record: BatchedRecord): void
  /**
   * Compresses the records so far on a thread of libuv's pool, for a `finish` that asks for the same compression; one
   * that finds nothing ready compresses by itself. Records may be added, and the batch reset, at any time: what was
   * made of fewer or other records is dropped.
   */
  compress(by: Compression): Promise<void>
  /**
   * The batch: bytes of this encoder, to be used before the next `append`, `finish` or `reset`. May be called again
   * with another header. Records that compression does not make smaller are stored uncompressed.
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
  return new GrowingBatch(initialBytes)
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

// A class, because V8 keeps the times in its fields in place. In a closure each assignment allocates.
class GrowingBatch implements BatchEncoder {
  #bytes: Uint8Array
  #length: number = batchLayout.records
  #count = 0
  #baseTime = 0
  #maxTime = -1
  #compressed: CompressedBatch | undefined
  #resets = 0
  /** How often `compress` is reading the memory now. */
  #readers = 0

  constructor(initialBytes: number) {
    this.#bytes = new Uint8Array(Math.max(initialBytes, batchLayout.records))
  }

  get count(): number {
    return this.#count
  }
  get byteLength(): number {
    return this.#length
  }
  get maxTime(): number {
    return this.#maxTime
  }

  append(record: BatchedRecord): void {
    this.tryAppend(record, Number.POSITIVE_INFINITY)
  }

  tryAppend(record: BatchedRecord, maxBytes: number): boolean {
    checkRecord(record)
    const { time } = record
    const count = this.#count
    const timeDelta = count === 0 ? 0 : time - this.#baseTime
    const size = sizeInPlace(sizeOfContent(record), timeDelta, count)
    const end = this.#length + varintSize(size) + size
    if (end > maxBytes) return false
    if (end > this.#bytes.length) this.#grow(end)
    writeRecord(this.#bytes, this.#length, record, size, timeDelta, count)
    this.#length = end
    this.#count = count + 1
    if (count === 0) this.#baseTime = time
    if (time > this.#maxTime) this.#maxTime = time
    this.#compressed = undefined
    return true
  }

  async compress(by: Compression): Promise<void> {
    if (by === 'none' || this.#count === 0 || this.#compressed?.by === by) return
    const count = this.#count
    const resets = this.#resets
    this.#readers++
    try {
      const records = await compressInBackground(by, this.#records())
      if (this.#count === count && this.#resets === resets) this.#compressed = this.#compressedBatch(by, records)
    } finally {
      this.#readers--
    }
  }

  finish(header: BatchHeader = {}): Uint8Array {
    if (this.#count === 0) throw new TypeError('A batch without records cannot be finished.')
    const { compression = 'none' } = header
    if (compression !== 'none' && this.#compressed?.by !== compression) {
      this.#compressed = this.#compressedBatch(compression, compress(compression, this.#records()))
    }
    const compressed = compression === 'none' ? undefined : this.#compressed?.batch
    const batch = compressed ?? this.#bytes.subarray(0, this.#length)
    writeBatchHeader(batch, compressed === undefined ? { ...header, compression: 'none' } : header, {
      count: this.#count,
      baseTime: this.#baseTime,
      maxTime: this.#maxTime,
    })
    return batch
  }

  reset(): void {
    // What is being read must not change.
    if (this.#readers > 0) this.#bytes = new Uint8Array(batchLayout.records)
    this.#length = batchLayout.records
    this.#count = 0
    this.#maxTime = -1
    this.#compressed = undefined
    this.#resets++
  }

  #records(): Uint8Array {
    return this.#bytes.subarray(batchLayout.records, this.#length)
  }

  #grow(least: number): void {
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, least))
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

interface CompressedBatch {
  readonly by: Compression
  /** Its header is written by `finish`. `undefined` where it would be no smaller. */
  readonly batch: Uint8Array | undefined
}

import { DamagedBatchError } from '../errors.ts'
import type { Header } from '../queue.ts'
import { codecOf, hasLogAppendTime, isControl, isTransactional } from './attributes.ts'
import { decompress } from './compression.ts'
import { batchLayout } from './layout.ts'
import type { QueueRecord, RecordBatch } from './record-batch.ts'
import { VarintReader } from './varint.ts'

export interface Place {
  readonly topic: string
  readonly partition: number
}

/** A record batch as it lies in a partition, with what its header says. */
export interface StoredBatch extends RecordBatch {
  readonly lastOffset: bigint
  /** Bytes of the batch as it is stored. */
  readonly byteLength: number
  /** Records in the stored batch, those before `from` included. */
  readonly count: number
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly transactional: boolean
  /** Whether it is a transaction marker instead of data. */
  readonly control: boolean
  /** What a marker ended its transaction with; `undefined` in data batches and for markers of other kinds. */
  controlType(): 'commit' | 'abort' | undefined
  /** The same bytes, of which `records` begins at `offset`. */
  from(offset: bigint): StoredBatch
}

/** A view of one whole batch whose lengths and checksum have been checked. */
export function viewBatch(bytes: Uint8Array, place: Place): StoredBatch {
  return new BatchView(new SharedBatch(bytes, place))
}

class BatchView implements StoredBatch {
  readonly baseOffset: bigint
  readonly #batch: SharedBatch
  readonly #firstDelta: number

  constructor(batch: SharedBatch, firstOffset: bigint = batch.baseOffset) {
    this.#batch = batch
    this.#firstDelta = firstOffset > batch.baseOffset ? Number(firstOffset - batch.baseOffset) : 0
    this.baseOffset = batch.baseOffset + BigInt(this.#firstDelta)
  }

  get topic(): string {
    return this.#batch.place.topic
  }
  get partition(): number {
    return this.#batch.place.partition
  }
  get lastOffset(): bigint {
    return this.#batch.baseOffset + BigInt(this.#batch.header.getInt32(batchLayout.lastOffsetDelta))
  }
  get nextOffset(): bigint {
    return this.lastOffset + 1n
  }
  get maxTime(): number {
    return Number(this.#batch.header.getBigInt64(batchLayout.maxTime))
  }
  get byteLength(): number {
    return this.#batch.bytes.length
  }
  get count(): number {
    return this.#batch.header.getInt32(batchLayout.count)
  }
  get producerId(): bigint {
    return this.#batch.header.getBigInt64(batchLayout.producerId)
  }
  get producerEpoch(): number {
    return this.#batch.header.getInt16(batchLayout.producerEpoch)
  }
  get baseSequence(): number {
    return this.#batch.header.getInt32(batchLayout.baseSequence)
  }
  get transactional(): boolean {
    return isTransactional(this.#batch.attributes)
  }
  get control(): boolean {
    return isControl(this.#batch.attributes)
  }

  controlType(): 'commit' | 'abort' | undefined {
    if (!this.control) return undefined
    const [marker] = this.records()
    if (!marker?.key || marker.key.length < 4) return undefined
    // The key of a marker: a version and a type, both 16 bits.
    const type = (marker.key[2]! << 8) | marker.key[3]!
    return type === 1 ? 'commit' : type === 0 ? 'abort' : undefined
  }

  from(offset: bigint): StoredBatch {
    return new BatchView(this.#batch, offset)
  }

  *records(): IterableIterator<QueueRecord> {
    const { header, attributes, baseOffset, place } = this.#batch
    const reader = new RecordReader(this.#batch.records())
    const baseTime = Number(header.getBigInt64(batchLayout.baseTime))
    const appendTime = hasLogAppendTime(attributes) ? this.maxTime : undefined
    try {
      for (let left = this.count; left > 0; left--) {
        const { offsetDelta, timeDelta } = reader.begin()
        if (offsetDelta < this.#firstDelta) {
          reader.skip()
          continue
        }
        const key = reader.readBytes()
        const value = reader.readBytes()
        const headers = reader.readHeaders()
        reader.end()
        yield {
          topic: place.topic,
          partition: place.partition,
          offset: baseOffset + BigInt(offsetDelta),
          time: appendTime ?? baseTime + timeDelta,
          key,
          value,
          headers,
        }
      }
    } catch (error) {
      if (error instanceof RangeError) throw this.#batch.damaged(error.message, error)
      throw error
    }
  }
}

/** What all views of a batch share: its bytes and, once walked, its records decompressed. */
class SharedBatch {
  readonly bytes: Uint8Array
  readonly place: Place
  readonly header: DataView
  readonly baseOffset: bigint
  readonly attributes: number
  #records: Uint8Array | undefined

  constructor(bytes: Uint8Array, place: Place) {
    this.bytes = bytes
    this.place = place
    this.header = new DataView(bytes.buffer, bytes.byteOffset, batchLayout.records)
    this.baseOffset = this.header.getBigInt64(batchLayout.baseOffset)
    this.attributes = this.header.getInt16(batchLayout.attributes)
  }

  records(): Uint8Array {
    this.#records ??= this.#decompress()
    return this.#records
  }

  damaged(difference: string, cause?: unknown): DamagedBatchError {
    return new DamagedBatchError(describePlace(this.place, this.baseOffset), difference, { cause })
  }

  #decompress(): Uint8Array {
    const stored = this.bytes.subarray(batchLayout.records)
    const codec = codecOf(this.attributes)
    if (codec === undefined) throw this.damaged(`its compression is unknown (attributes ${this.attributes})`)
    if (codec === 'none') return stored
    try {
      const { buffer, byteOffset, length } = decompress(codec, stored)
      return new Uint8Array(buffer, byteOffset, length)
    } catch (error) {
      throw this.damaged(`its records cannot be decompressed with ${codec}`, error)
    }
  }
}

export function describePlace({ topic, partition }: Place, offset: bigint): string {
  return `offset ${offset} of "${topic}" partition ${partition}`
}

/** Walks encoded records. Throws `RangeError` where the bytes are not what their lengths say. */
class RecordReader {
  readonly #reader: VarintReader
  #end = 0

  constructor(bytes: Uint8Array) {
    this.#reader = new VarintReader(bytes, 0)
  }

  begin(): { offsetDelta: number; timeDelta: number } {
    const reader = this.#reader
    const length = reader.readVarint()
    this.#end = reader.at + length
    if (length < 0 || this.#end > reader.bytes.length) throw new RangeError('a record is cut off')
    reader.at++
    const timeDelta = reader.readVarlong()
    return { timeDelta, offsetDelta: reader.readVarint() }
  }

  readBytes(): Uint8Array | null {
    const reader = this.#reader
    const length = reader.readVarint()
    if (length < 0) return null
    const start = reader.at
    reader.at += length
    if (reader.at > this.#end) throw new RangeError('a key, a value or a header is cut off')
    return reader.bytes.subarray(start, reader.at)
  }

  readHeaders(): readonly Header[] {
    const count = this.#reader.readVarint()
    if (count === 0) return noHeaders
    const headers: Header[] = []
    for (let left = count; left > 0; left--) {
      const key = this.readBytes()
      if (key === null) throw new RangeError('a header has no key')
      headers.push({ key: decodeUtf8(key), value: this.readBytes() ?? noBytes })
    }
    return headers
  }

  skip(): void {
    this.#reader.at = this.#end
  }

  end(): void {
    if (this.#reader.at !== this.#end) throw new RangeError('a record is longer or shorter than it says')
  }
}

const noHeaders: readonly Header[] = Object.freeze([])
const noBytes = new Uint8Array(0)

function decodeUtf8(bytes: Uint8Array): string {
  let text = ''
  // Header names are short and plain nearly always; calling a decoder for them costs more than this.
  for (const byte of bytes.length <= 16 ? bytes : noBytes) {
    if (byte >= 0x80) break
    text += String.fromCharCode(byte)
  }
  return text.length === bytes.length ? text : utf8.decode(bytes)
}

const utf8 = new TextDecoder()

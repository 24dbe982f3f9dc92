import type { Header, QueueRecord, RecordBatch } from './record-batch.ts'
import { VarintReader } from './varint.ts'

export interface EncodedRecords extends Pick<RecordBatch, 'topic' | 'partition' | 'baseOffset'> {
  /** Decompressed. */
  readonly bytes: Uint8Array
  readonly count: number
  readonly lastOffsetDelta: number
  /** Records before this one are skipped without decoding. */
  readonly firstOffsetDelta: number
  /** After compaction it may be the delete horizon (attribute bit 6, KIP-534). */
  readonly baseTime: number
  /** The time of all records if the broker has set it. */
  readonly appendTime: number | undefined
  /** Places in `bytes`, in order, which the iterators of a batch add and begin at. */
  readonly marks: RecordMark[]
  damaged(difference: string, cause: unknown): Error
}

/** The place of the record whose number in the batch is the number of the mark times `markedRecords`. */
export interface RecordMark {
  readonly at: number
  readonly lastDelta: number
}

/** Skipping half of a large batch for each of its pieces would take as long as decoding them. */
const markedRecords = 256

/** The bytes of a record are views. */
export class RecordIterator extends VarintReader implements IterableIterator<QueueRecord> {
  readonly #records: EncodedRecords
  // Reading them from the array each time takes a tenth of the decoding time.
  readonly #buffer: ArrayBufferLike
  readonly #byteOffset: number
  #left: number
  #lastDelta = -1
  /** Of the record that is being read. */
  #end = 0

  constructor(records: EncodedRecords) {
    const { bytes, count, marks, firstOffsetDelta } = records
    super(bytes)
    this.#records = records
    this.#buffer = bytes.buffer
    this.#byteOffset = bytes.byteOffset
    this.#left = count
    if (firstOffsetDelta === 0) return
    const mark = marks.findLastIndex(({ lastDelta }) => lastDelta < firstOffsetDelta)
    if (mark < 0) return
    this.at = marks[mark]!.at
    this.#lastDelta = marks[mark]!.lastDelta
    this.#left -= mark * markedRecords
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<QueueRecord, undefined> {
    try {
      while (this.#left > 0) {
        this.#mark()
        this.#left--
        const record = this.#read()
        if (record !== undefined) return { done: false, value: record }
      }
      if (this.at !== this.bytes.length) throw new RangeError('it holds more than its records')
      return { done: true, value: undefined }
    } catch (error) {
      this.#left = 0
      throw error instanceof RangeError ? this.#records.damaged(error.message, error) : error
    }
  }

  #mark(): void {
    const { marks, count } = this.#records
    if (count - this.#left === marks.length * markedRecords) marks.push({ at: this.at, lastDelta: this.#lastDelta })
  }

  #read(): QueueRecord | undefined {
    const records = this.#records
    const length = this.readVarint()
    this.#end = this.at + length
    if (length < 0 || this.#end > this.bytes.length) throw new RangeError('a record is incomplete')
    // The attributes of a record are unused.
    this.at++
    const timeDelta = this.readVarlong()
    const offsetDelta = this.readVarint()
    if (offsetDelta <= this.#lastDelta || offsetDelta > records.lastOffsetDelta) {
      throw new RangeError(`a record has the relative offset ${offsetDelta} after ${this.#lastDelta}`)
    }
    this.#lastDelta = offsetDelta
    if (offsetDelta < records.firstOffsetDelta) {
      this.at = this.#end
      return undefined
    }
    const key = this.#readBytes()
    const value = this.#readBytes()
    const headers = this.#readHeaders()
    if (this.at !== this.#end) throw new RangeError('a record does not have its announced length')
    return {
      topic: records.topic,
      partition: records.partition,
      offset: records.baseOffset + BigInt(offsetDelta),
      time: records.appendTime ?? records.baseTime + timeDelta,
      key,
      value,
      headers,
    }
  }

  #readBytes(): Uint8Array | null {
    const length = this.readVarint()
    if (length < 0) return null
    const start = this.at
    this.at += length
    if (this.at > this.#end) throw new RangeError('a key, a value or a header is incomplete')
    // Takes half the time of `subarray`.
    return new Uint8Array(this.#buffer, this.#byteOffset + start, length)
  }

  #readHeaders(): readonly Header[] {
    const count = this.readVarint()
    if (count === 0) return noHeaders
    if (count < 0) throw new RangeError(`a record has ${count} headers`)
    const headers: Header[] = []
    for (let left = count; left > 0; left--) {
      headers.push({ key: this.#readText(), value: this.#readBytes() ?? noBytes })
    }
    return headers
  }

  #readText(): string {
    const length = this.readVarint()
    const { bytes, at } = this
    const end = at + length
    if (length < 0) throw new RangeError('a header has no key')
    if (end > this.#end) throw new RangeError('a header is incomplete')
    this.at = end
    // Header keys are nearly always short ASCII: this is faster than calling a decoder.
    let text = ''
    for (let index = at; index < end && length <= 16; index++) {
      if (bytes[index]! >= 0x80) break
      text += String.fromCharCode(bytes[index]!)
    }
    return text.length === length ? text : utf8.decode(bytes.subarray(at, end))
  }
}

const noHeaders: readonly Header[] = Object.freeze([])
const noBytes = new Uint8Array(0)
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

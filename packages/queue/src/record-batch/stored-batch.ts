import { DamagedBatchError } from '../errors.ts'
import type { TopicPartition } from '../queue.ts'
import { decompress, maxDecompressedBytes } from './compression.ts'
import { batchLayout, codecOf, hasLogAppendTime, isControl, isTransactional } from './layout.ts'
import type { QueueRecord, RecordBatch } from './record-batch.ts'
import { RecordIterator } from './record-iterator.ts'

export interface StoredBatch extends RecordBatch {
  readonly lastOffset: bigint
  /** Records of the stored batch, with those before `from`. May be 0 after compaction. */
  readonly count: number
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly transactional: boolean
  /** Whether it is a transaction marker instead of data. */
  readonly control: boolean
  /** `undefined` for data batches and other markers. */
  controlType(): 'commit' | 'abort' | undefined
  /** The same batch with records from `offset` on. */
  from(offset: bigint): StoredBatch
}

/** A view of one batch whose lengths and checksum are valid. */
export function viewBatch(bytes: Uint8Array, place: TopicPartition): StoredBatch {
  return new BatchView(new SharedBatch(bytes, place))
}

class BatchView implements StoredBatch {
  readonly baseOffset: bigint
  readonly #batch: SharedBatch
  readonly #firstOffsetDelta: number

  constructor(batch: SharedBatch, firstOffset: bigint = batch.baseOffset) {
    this.#batch = batch
    this.#firstOffsetDelta = firstOffset > batch.baseOffset ? Number(firstOffset - batch.baseOffset) : 0
    this.baseOffset = batch.baseOffset + BigInt(this.#firstOffsetDelta)
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
    // A version and a type, both 16 bits.
    const type = (marker.key[2]! << 8) | marker.key[3]!
    return type === 1 ? 'commit' : type === 0 ? 'abort' : undefined
  }

  from(offset: bigint): StoredBatch {
    return new BatchView(this.#batch, offset)
  }

  records(): IterableIterator<QueueRecord> {
    const batch = this.#batch
    const { header, place } = batch
    return new RecordIterator({
      topic: place.topic,
      partition: place.partition,
      bytes: batch.records(),
      count: this.count,
      baseOffset: batch.baseOffset,
      lastOffsetDelta: header.getInt32(batchLayout.lastOffsetDelta),
      firstOffsetDelta: this.#firstOffsetDelta,
      baseTime: Number(header.getBigInt64(batchLayout.baseTime)),
      appendTime: hasLogAppendTime(batch.attributes) ? this.maxTime : undefined,
      damaged: (difference, cause) => batch.damaged(difference, cause),
    })
  }
}

/** Shared by all views of a batch, with its decompressed records after the first iteration. */
class SharedBatch {
  readonly bytes: Uint8Array
  readonly place: TopicPartition
  readonly header: DataView
  readonly baseOffset: bigint
  readonly attributes: number
  #records: Uint8Array | undefined

  constructor(bytes: Uint8Array, place: TopicPartition) {
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
    // If compaction has removed all records, there is nothing to decompress.
    if (codec === 'none' || stored.length === 0) return stored
    try {
      return decompress(codec, stored, maxDecompressedBytes)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw this.damaged(`its records cannot be decompressed with ${codec}: ${reason}`, error)
    }
  }
}

export function describePlace({ topic, partition }: TopicPartition, offset: bigint): string {
  return `offset ${offset} of "${topic}" partition ${partition}`
}

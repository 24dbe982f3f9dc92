import { DamagedBatchError } from '../errors.ts'
import type { TopicPartition } from '../queue.ts'
import { decompress, maxDecompressedBytes } from './compression.ts'
import { attributeBits, batchLayout, type Codec, codecOf } from './layout.ts'
import type { QueueRecord, RecordBatch } from './record-batch.ts'
import { RecordIterator, type RecordMark } from './record-iterator.ts'

export interface StoredBatch extends RecordBatch {
  readonly lastOffset: bigint
  /** With records before `from`. May be 0 after compaction. */
  readonly count: number
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly transactional: boolean
  readonly control: boolean
  /** `undefined` for one that Kafka does not define. */
  readonly codec: Codec | undefined
  /** `undefined` for data batches and other markers. */
  controlType(): 'commit' | 'abort' | undefined
  from(offset: bigint): StoredBatch
}

/** The lengths and the checksum must be valid. */
export function viewBatch(bytes: Uint8Array, place: TopicPartition): StoredBatch {
  const { topic, partition } = place
  const header = new DataView(bytes.buffer, bytes.byteOffset, batchLayout.records)
  const attributes = header.getInt16(batchLayout.attributes)
  const baseOffset = header.getBigInt64(batchLayout.baseOffset)
  const lastOffsetDelta = header.getInt32(batchLayout.lastOffsetDelta)
  const lastOffset = baseOffset + BigInt(lastOffsetDelta)
  const maxTime = Number(header.getBigInt64(batchLayout.maxTime))
  const baseTime = Number(header.getBigInt64(batchLayout.baseTime))
  const count = header.getInt32(batchLayout.count)
  const codec = codecOf(attributes)
  const control = (attributes & attributeBits.control) !== 0
  const appendTime = attributes & attributeBits.logAppendTime ? maxTime : undefined
  const marks: RecordMark[] = []
  let decompressed: Uint8Array | undefined
  return viewFrom(0)

  function viewFrom(firstOffsetDelta: number): StoredBatch {
    return {
      topic,
      partition,
      baseOffset: baseOffset + BigInt(firstOffsetDelta),
      lastOffset,
      nextOffset: lastOffset + 1n,
      maxTime,
      byteLength: bytes.length,
      count,
      producerId: header.getBigInt64(batchLayout.producerId),
      producerEpoch: header.getInt16(batchLayout.producerEpoch),
      baseSequence: header.getInt32(batchLayout.baseSequence),
      transactional: (attributes & attributeBits.transactional) !== 0,
      control,
      codec,
      controlType: () => (control ? controlTypeOf(records(0)) : undefined),
      from: (offset) => viewFrom(deltaOf(offset)),
      records: (from = baseOffset) => records(Math.max(firstOffsetDelta, deltaOf(from))),
    }
  }

  function deltaOf(offset: bigint): number {
    return offset > baseOffset ? Number(offset - baseOffset) : 0
  }

  function records(firstOffsetDelta: number): RecordIterator {
    decompressed ??= decompressRecords()
    const fields = {
      topic,
      partition,
      count,
      baseOffset,
      lastOffsetDelta,
      firstOffsetDelta,
      baseTime,
      appendTime,
      marks,
    }
    return new RecordIterator({ ...fields, bytes: decompressed, damaged })
  }

  function decompressRecords(): Uint8Array {
    const stored = bytes.subarray(batchLayout.records)
    if (codec === undefined) throw damaged(`its compression is unknown (attributes ${attributes})`)
    // Compaction may have removed all records.
    if (codec === 'none' || stored.length === 0) return stored
    try {
      return decompress(codec, stored, maxDecompressedBytes)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw damaged(`its records cannot be decompressed with ${codec}: ${reason}`, error)
    }
  }

  function damaged(difference: string, cause?: unknown): DamagedBatchError {
    return damagedBatch(place, baseOffset, difference, { cause })
  }
}

function controlTypeOf([marker]: Iterable<QueueRecord>): 'commit' | 'abort' | undefined {
  if (!marker?.key || marker.key.length < 4) return undefined
  // A version and a type, both 16 bits.
  const type = (marker.key[2]! << 8) | marker.key[3]!
  return type === 1 ? 'commit' : type === 0 ? 'abort' : undefined
}

export function damagedBatch(
  place: TopicPartition,
  offset: bigint | number,
  difference: string,
  options?: ErrorOptions,
): DamagedBatchError {
  return new DamagedBatchError(describePlace(place, offset), difference, options)
}

export function describePlace({ topic, partition }: TopicPartition, offset: bigint | number): string {
  return `offset ${offset} of "${topic}" partition ${partition}`
}

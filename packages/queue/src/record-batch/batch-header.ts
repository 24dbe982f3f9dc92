import { encodeAttributes } from './attributes.ts'
import type { Compression } from './compression.ts'
import { crc32c } from './crc32c.ts'
import { batchLayout, batchMagic, uncountedBytes } from './layout.ts'

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

/** What the header says about the records. */
export interface BatchContent {
  readonly count: number
  /** Differs from `count - 1` where compaction took records. */
  readonly lastOffsetDelta?: number
  readonly baseTime: number
  readonly maxTime: number
}

/** Writes the header before the records that lie in `batch`, and the checksum of both. */
export function writeBatchHeader(
  batch: Uint8Array,
  header: BatchHeader,
  { count, lastOffsetDelta = count - 1, baseTime, maxTime }: BatchContent,
): void {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.length)
  view.setBigInt64(batchLayout.baseOffset, header.baseOffset ?? 0n)
  view.setInt32(batchLayout.length, batch.length - uncountedBytes)
  view.setInt32(batchLayout.leaderEpoch, -1)
  view.setInt8(batchLayout.magic, batchMagic)
  view.setInt16(batchLayout.attributes, encodeAttributes(header.compression ?? 'none', header.transactional ?? false))
  view.setInt32(batchLayout.lastOffsetDelta, lastOffsetDelta)
  view.setBigInt64(batchLayout.baseTime, BigInt(baseTime))
  view.setBigInt64(batchLayout.maxTime, BigInt(maxTime))
  view.setBigInt64(batchLayout.producerId, header.producerId ?? -1n)
  view.setInt16(batchLayout.producerEpoch, header.producerEpoch ?? -1)
  view.setInt32(batchLayout.baseSequence, header.baseSequence ?? -1)
  view.setInt32(batchLayout.count, count)
  view.setUint32(batchLayout.checksum, crc32c(batch, batchLayout.attributes))
}

/** Moves a finished batch to another offset. Its checksum does not cover the offset, so it stays as it is. */
export function setBaseOffset(batch: Uint8Array, baseOffset: bigint): void {
  new DataView(batch.buffer, batch.byteOffset).setBigInt64(batchLayout.baseOffset, baseOffset)
}

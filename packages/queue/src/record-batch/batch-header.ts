import type { Compression } from './compression.ts'
import { crc32c } from './crc32c.ts'
import { batchLayout, batchMagic, encodeAttributes, uncountedBytes } from './layout.ts'

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

export interface BatchContent {
  readonly count: number
  /** Not `count - 1` if compaction has removed records. */
  readonly lastOffsetDelta?: number
  readonly baseTime: number
  readonly maxTime: number
}

/** The records are already in `batch`. */
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

/** Of a finished batch: the checksum does not cover it. */
export function setBaseOffset(batch: Uint8Array, baseOffset: bigint): void {
  new DataView(batch.buffer, batch.byteOffset).setBigInt64(batchLayout.baseOffset, baseOffset)
}

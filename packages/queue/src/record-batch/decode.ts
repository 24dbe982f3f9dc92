import { crc32 } from 'node:zlib'
import { UserError } from '../errors.ts'
import type { TopicPartition } from '../queue.ts'
import { crc32c } from './crc32c.ts'
import { batchLayout, batchMagic, uncountedBytes } from './layout.ts'
import { damagedBatch, describePlace, type StoredBatch, viewBatch } from './stored-batch.ts'

/**
 * Omits an incomplete last batch: a broker's answer ends at a byte limit.
 *
 * @throws {DamagedBatchError} a batch contradicts its checksum, its length or its own numbers.
 * @throws {UserError} `unsupported_batch`: a message of a format before v2.
 */
export function decodeBatches(bytes: Uint8Array, place: TopicPartition): StoredBatch[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const batches: StoredBatch[] = []
  for (let at = 0; at + batchLayout.magic < bytes.length; ) {
    const offset = view.getBigInt64(at + batchLayout.baseOffset)
    const damaged = (difference: string) => damagedBatch(place, offset, difference)
    const magic = view.getInt8(at + batchLayout.magic)
    const length = view.getInt32(at + batchLayout.length)
    const end = at + uncountedBytes + length
    if (magic !== batchMagic) {
      if (isOldMessage(bytes, at, end)) throw oldMessageError(describePlace(place, offset), magic)
      throw damaged(`its format version is ${magic}, and only ${batchMagic} is supported`)
    }
    if (end < at + batchLayout.records) throw damaged(`its length is ${length}`)
    if (end > bytes.length) break
    const found = crc32c(bytes.subarray(at + batchLayout.attributes, end))
    const stored = view.getUint32(at + batchLayout.checksum)
    if (found !== stored) throw damaged(`its checksum is ${stored}, and that of its bytes ${found}`)
    const lastOffsetDelta = view.getInt32(at + batchLayout.lastOffsetDelta)
    const count = view.getInt32(at + batchLayout.count)
    // After compaction there may be fewer records than offsets.
    if (count < 0 || lastOffsetDelta < 0 || count > lastOffsetDelta + 1) {
      throw damaged(`it has ${count} records, and its last one the relative offset ${lastOffsetDelta}`)
    }
    batches.push(viewBatch(new Uint8Array(bytes.buffer, bytes.byteOffset + at, end - at), place))
    at = end
  }
  return batches
}

/** Format v0 or v1 (before Kafka 0.11), whose checksum starts at the version. */
function isOldMessage(bytes: Uint8Array, start: number, end: number): boolean {
  const version = start + oldLayout.magic
  if (bytes[version]! > 1 || end <= version || end > bytes.length) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return view.getUint32(start + oldLayout.checksum) === crc32(bytes.subarray(version, end))
}

const oldLayout = { checksum: 12, magic: 16 } as const

function oldMessageError(where: string, version: number): UserError {
  return new UserError(
    'unsupported_batch',
    `The message at ${where} has format v${version} of clients before Kafka 0.11, and only v2 is supported. ` +
      'Copy the topic with a newer client.',
  )
}

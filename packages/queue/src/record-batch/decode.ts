import { DamagedBatchError } from '../errors.ts'
import type { TopicPartition } from '../queue.ts'
import { crc32c } from './crc32c.ts'
import { batchLayout, batchMagic, uncountedBytes } from './layout.ts'
import { isOldMessage, oldMessageError } from './old-message.ts'
import { describePlace, type StoredBatch, viewBatch } from './stored-batch.ts'

/**
 * Views of the whole batches that lie one after the other in `bytes`. A last one that is cut off is left out, as a
 * broker's answer ends at a byte limit. Records are decoded as they are walked.
 *
 * @throws {DamagedBatchError} a batch does not match its checksum or its length, or its numbers contradict each other.
 * @throws {UserError} `unsupported_batch`: a whole message of a format before v2.
 */
export function decodeBatches(bytes: Uint8Array, place: TopicPartition): StoredBatch[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const batches: StoredBatch[] = []
  for (let at = 0; at + batchLayout.magic < bytes.length; ) {
    const offset = view.getBigInt64(at + batchLayout.baseOffset)
    const damaged = (difference: string) => new DamagedBatchError(describePlace(place, offset), difference)
    const magic = view.getInt8(at + batchLayout.magic)
    const length = view.getInt32(at + batchLayout.length)
    const end = at + uncountedBytes + length
    if (magic !== batchMagic) {
      if (isOldMessage(bytes, at, end)) throw oldMessageError(describePlace(place, offset), magic)
      throw damaged(`its format version is ${magic}, and only ${batchMagic} can be read`)
    }
    if (end < at + batchLayout.records) throw damaged(`its length is ${length}`)
    if (end > bytes.length) break
    const found = crc32c(bytes, at + batchLayout.attributes, end)
    const stored = view.getUint32(at + batchLayout.checksum)
    if (found !== stored) throw damaged(`its checksum is ${stored}, and that of its bytes ${found}`)
    const lastOffsetDelta = view.getInt32(at + batchLayout.lastOffsetDelta)
    const count = view.getInt32(at + batchLayout.count)
    // There may be fewer records than offsets, after compaction, but never more.
    if (count < 0 || lastOffsetDelta < 0 || count > lastOffsetDelta + 1) {
      throw damaged(`it has ${count} records, and its last one the relative offset ${lastOffsetDelta}`)
    }
    batches.push(viewBatch(new Uint8Array(bytes.buffer, bytes.byteOffset + at, end - at), place))
    at = end
  }
  return batches
}

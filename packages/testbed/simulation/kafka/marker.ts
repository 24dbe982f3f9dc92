import { crc32c } from '../../../queue/src/record-batch/crc32c.ts'
import { BatchEncoder } from '../../../queue/src/record-batch/encode.ts'
import { batchLayout } from '../../../queue/src/record-batch/layout.ts'

/** The batch that ends a transaction in a partition: a control record (KIP-98). */
export function encodeMarker(by: { producerId: bigint; epoch: number }, committed: boolean, time: number): Uint8Array {
  const encoder = new BatchEncoder()
  encoder.append({ key: Uint8Array.of(0, 0, 0, committed ? 1 : 0), value: new Uint8Array(6), time })
  const bytes = encoder.finish({
    producerId: by.producerId,
    producerEpoch: by.epoch,
    baseSequence: -1,
    transactional: true,
  })
  const batch = bytes.slice()
  const header = new DataView(batch.buffer)
  header.setInt16(batchLayout.attributes, header.getInt16(batchLayout.attributes) | controlBit)
  header.setUint32(batchLayout.checksum, crc32c(batch.subarray(batchLayout.attributes)))
  return batch
}

const controlBit = 0x20

import type { Compression } from '../../record-batch/compression.ts'
import type { BatchEncoder } from '../../record-batch/encode.ts'
import type { KafkaSettings } from '../connection/kafka-settings.ts'

/** How a batch is written: small ones gain nothing, and compacted topics are read and rewritten record by record. */
export function compressionFor(
  encoder: BatchEncoder,
  { compacted, settings }: { readonly compacted: boolean; readonly settings: KafkaSettings },
): Compression {
  return compacted || encoder.byteLength < smallestCompressedBytes ? 'none' : settings.compression
}

const smallestCompressedBytes = 4 * 1024

import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Codec } from './attributes.ts'
import { decompressLz4 } from './lz4.ts'
import { decompressSnappy } from './snappy.ts'

/**
 * Bytes that the records of a batch may take decompressed.
 *
 * Brokers bound a batch as it is stored (`message.max.bytes`, 1 MiB by default) and take any size behind it. This is
 * 128 times that default, and 8 times the largest record that the embedded engine takes.
 */
export const maxDecompressedBytes: number = 128 * 1024 * 1024

/**
 * Throws for more than `maxBytes` of output, and whatever the library throws on bytes that are not what they claim to
 * be. What is allocated grows with what is really decompressed.
 */
export function decompress(codec: Exclude<Codec, 'none'>, bytes: Uint8Array, maxBytes: number): Uint8Array {
  switch (codec) {
    case 'gzip':
      return gunzipSync(bytes, { maxOutputLength: maxBytes })
    case 'zstd':
      return zstdDecompressSync(bytes, { maxOutputLength: maxBytes })
    case 'lz4':
      return decompressLz4(bytes, maxBytes)
    case 'snappy':
      return decompressSnappy(bytes, maxBytes)
  }
}

import { promisify } from 'node:util'
import { constants, gunzipSync, gzip, gzipSync, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Codec } from './layout.ts'
import { decompressLz4 } from './lz4.ts'
import { decompressSnappy } from './snappy.ts'

/** How batches are written. lz4 and snappy can only be read. */
export type Compression = 'none' | UsedCompression
type UsedCompression = 'gzip' | 'zstd'

export function compress(compression: UsedCompression, bytes: Uint8Array): Uint8Array {
  return compression === 'gzip' ? gzipSync(bytes, gzipOptions) : zstdCompressSync(bytes, zstdOptions(bytes))
}

/** Compresses on a thread of the pool of libuv. `bytes` must not change until the promise resolves. */
export function compressInBackground(compression: UsedCompression, bytes: Uint8Array): Promise<Uint8Array> {
  return compression === 'gzip' ? gzipInBackground(bytes, gzipOptions) : zstdInBackground(bytes, zstdOptions(bytes))
}

const gzipInBackground = promisify(gzip)
const zstdInBackground = promisify(zstdCompress)

// The fastest level, because a batch is not sent before it is compressed.
const gzipOptions = { level: 1 }
// The frame states the size of its content, so that a reader can allocate memory once.
const zstdOptions = ({ length }: Uint8Array) => ({
  params: { [constants.ZSTD_c_compressionLevel]: 1 },
  pledgedSrcSize: length,
})

/** Limit for a batch: 128 times the default of `message.max.bytes`, which limits the compressed size. */
export const maxDecompressedBytes: number = 128 * 1024 * 1024

/** Throws for more than `maxBytes` of output. Memory grows with the actual output. */
export function decompress(codec: Exclude<Codec, 'none'>, bytes: Uint8Array, maxBytes: number): Uint8Array {
  return decompressors[codec](bytes, maxBytes)
}

const decompressors: Record<Exclude<Codec, 'none'>, (bytes: Uint8Array, maxBytes: number) => Uint8Array> = {
  gzip: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
  zstd: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }),
  lz4: decompressLz4,
  snappy: decompressSnappy,
}

import { promisify } from 'node:util'
import { constants, gzip, gzipSync, zstdCompress, zstdCompressSync } from 'node:zlib'

/** What batches are written with. lz4 and snappy are only read. */
export type Compression = 'none' | 'gzip' | 'zstd'

export function compress(compression: Exclude<Compression, 'none'>, bytes: Uint8Array): Uint8Array {
  return compression === 'gzip' ? gzipSync(bytes, gzipOptions) : zstdCompressSync(bytes, zstdOptions)
}

/** Compresses on a thread of libuv's pool. `bytes` must not change until it is done. */
export function compressInBackground(
  compression: Exclude<Compression, 'none'>,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  return compression === 'gzip' ? gzipInBackground(bytes, gzipOptions) : zstdInBackground(bytes, zstdOptions)
}

const gzipInBackground = promisify(gzip)
const zstdInBackground = promisify(zstdCompress)

// The quickest levels: a batch waits for its compression.
const gzipOptions = { level: 1 }
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

import { promisify } from 'node:util'
import { constants, gzip, gzipSync, zstdCompress, zstdCompressSync } from 'node:zlib'

/** What batches are written with. lz4 and snappy are only read. */
export type Compression = 'none' | 'gzip' | 'zstd'

export function compress(compression: Exclude<Compression, 'none'>, bytes: Uint8Array): Uint8Array {
  return compression === 'gzip' ? gzipSync(bytes, gzipOptions) : zstdCompressSync(bytes, zstdOptions(bytes))
}

/** Compresses on a thread of libuv's pool. `bytes` must not change until it is done. */
export function compressInBackground(
  compression: Exclude<Compression, 'none'>,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  return compression === 'gzip' ? gzipInBackground(bytes, gzipOptions) : zstdInBackground(bytes, zstdOptions(bytes))
}

const gzipInBackground = promisify(gzip)
const zstdInBackground = promisify(zstdCompress)

// The quickest levels: a batch waits for its compression.
const gzipOptions = { level: 1 }
// With its size in the frame, whoever decompresses it can allocate once.
const zstdOptions = ({ length }: Uint8Array) => ({
  params: { [constants.ZSTD_c_compressionLevel]: 1 },
  pledgedSrcSize: length,
})

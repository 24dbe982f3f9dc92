import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { constants, gunzipSync, gzip, gzipSync, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type Codec, codecs } from './layout.ts'
import { decompressLz4 } from './lz4.ts'
import { decompressSnappy } from './snappy.ts'

/** How batches are compressed. */
export type Compression = Codec
export const compressions: readonly Compression[] = codecs

/** Size from which batches are compressed. */
export const leastCompressedBytes: number = 4 * 1024

type UsedCompression = Exclude<Compression, 'none'>

/** lz4 and snappy have one level. */
export interface CompressionLevels {
  /** 1 to 9, or −1, the default of zlib. */
  readonly gzipLevel: number
  /** −131072 to 22. */
  readonly zstdLevel: number
}

/** A batch is not sent before it is compressed. */
export const fastestLevels: CompressionLevels = { gzipLevel: 1, zstdLevel: 1 }

export function compress(
  compression: UsedCompression,
  bytes: Uint8Array,
  levels: CompressionLevels = fastestLevels,
): Uint8Array {
  switch (compression) {
    case 'gzip':
      return gzipSync(bytes, { level: levels.gzipLevel })
    case 'zstd':
      return zstdCompressSync(bytes, zstdOptions(bytes, levels))
    case 'lz4':
      return webAssembly().lz4Compress(bytes as Buffer)
    case 'snappy':
      return webAssembly().snappyCompress(bytes as Buffer)
  }
}

/**
 * gzip and zstd are compressed on a thread of the pool of libuv: `bytes` must not change until the promise resolves.
 * lz4 and snappy take less time than a thread would cost.
 */
export async function compressInBackground(
  compression: UsedCompression,
  bytes: Uint8Array,
  levels: CompressionLevels,
): Promise<Uint8Array> {
  if (compression === 'gzip') return gzipInBackground(bytes, { level: levels.gzipLevel })
  if (compression === 'zstd') return zstdInBackground(bytes, zstdOptions(bytes, levels))
  return compress(compression, bytes)
}

const gzipInBackground = promisify(gzip)
const zstdInBackground = promisify(zstdCompress)

// The frame states the size of its content, so that a reader can allocate memory once.
const zstdOptions = ({ length }: Uint8Array, { zstdLevel }: CompressionLevels) => ({
  params: { [constants.ZSTD_c_compressionLevel]: zstdLevel },
  pledgedSrcSize: length,
})

const require = createRequire(import.meta.url)

/** Loaded when a batch needs it. It only compresses: it does not limit the output of damaged input. */
const webAssembly = () => require('@platformatic/wasm-utils') as typeof import('@platformatic/wasm-utils')

/** Limit for a batch: 128 times the default of `message.max.bytes`, which limits the compressed size. */
export const maxDecompressedBytes: number = 128 * 1024 * 1024

/** Throws for more than `maxBytes` of output. Memory grows with the actual output. */
export function decompress(codec: UsedCompression, bytes: Uint8Array, maxBytes: number): Uint8Array {
  return decompressors[codec](bytes, maxBytes)
}

const decompressors: Record<UsedCompression, (bytes: Uint8Array, maxBytes: number) => Uint8Array> = {
  gzip: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
  zstd: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }),
  lz4: decompressLz4,
  snappy: decompressSnappy,
}

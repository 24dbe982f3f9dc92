import { createRequire } from 'node:module'
import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Codec } from './attributes.ts'

/** What batches are written with. lz4 and snappy are only read. */
export type Compression = 'none' | 'gzip' | 'zstd'

/** A batch that decompresses to more than this is taken for damaged, in bytes. */
const maxDecompressedBytes = 512 * 1024 * 1024

export function compress(compression: Exclude<Compression, 'none'>, bytes: Uint8Array): Uint8Array {
  if (compression === 'gzip') return gzipSync(bytes, { level: 1 })
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
}

/** Throws whatever the library throws on bytes that are not what they claim to be. */
export function decompress(codec: Exclude<Codec, 'none'>, bytes: Uint8Array): Uint8Array {
  switch (codec) {
    case 'gzip':
      return gunzipSync(bytes, { maxOutputLength: maxDecompressedBytes })
    case 'zstd':
      return zstdDecompressSync(bytes, { maxOutputLength: maxDecompressedBytes })
    case 'lz4':
      return loadWasmCodecs().lz4Decompress(asBuffer(bytes))
    case 'snappy':
      return decompressSnappy(bytes)
  }
}

/** Kafka's Java client writes snappy in blocks, as xerial's `SnappyOutputStream` frames them; others write one block. */
function decompressSnappy(bytes: Uint8Array): Uint8Array {
  const { snappyDecompress } = loadWasmCodecs()
  const framed = asBuffer(bytes)
  if (!framed.subarray(0, xerialMagic.length).equals(xerialMagic)) return snappyDecompress(framed)
  const blocks: Uint8Array[] = []
  for (let at = xerialHeaderBytes; at < framed.length; ) {
    const block = at + 4
    at = block + framed.readUInt32BE(at)
    if (at > framed.length) throw new RangeError('a snappy block is cut off')
    blocks.push(snappyDecompress(framed.subarray(block, at)))
  }
  return Buffer.concat(blocks)
}

const xerialMagic = Buffer.from('\x82SNAPPY\0', 'latin1')
/** The magic, a version and the oldest compatible version. */
const xerialHeaderBytes = 16

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

// Required where first used: most queues never hold such a batch, and loading compiles WebAssembly.
const require = createRequire(import.meta.url)

function loadWasmCodecs(): typeof import('@platformatic/wasm-utils') {
  return require('@platformatic/wasm-utils')
}

import { pipeline, type Readable } from 'node:stream'
import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  type Gzip,
  type ZstdCompress,
} from 'node:zlib'
import { type ContentCoding, codingSettings } from './content-coding.ts'

/** Longest time for which the compressor may hold bytes back, in ms. */
const flushMs = 500

/** If `pieces` fails, the result fails without a valid end. If the result is destroyed, so is `pieces`. */
export function compressStream(pieces: Readable, coding: ContentCoding): Readable {
  const compressor = createCompressor(coding)
  let flushedBytes = 0
  let isFlushing = false
  const timer = setInterval(() => {
    if (isFlushing || compressor.bytesWritten === flushedBytes) return
    isFlushing = true
    flushedBytes = compressor.bytesWritten
    compressor.flush(flushKinds[coding], () => {
      isFlushing = false
    })
  }, flushMs)
  pipeline(pieces, compressor, () => clearInterval(timer))
  return compressor
}

const flushKinds = {
  gzip: constants.Z_SYNC_FLUSH,
  br: constants.BROTLI_OPERATION_FLUSH,
  zstd: constants.ZSTD_e_flush,
}

function createCompressor(coding: ContentCoding): Gzip | BrotliCompress | ZstdCompress {
  if (coding === 'gzip') return createGzip(codingSettings.gzip)
  return coding === 'br' ? createBrotliCompress(codingSettings.br) : createZstdCompress(codingSettings.zstd)
}

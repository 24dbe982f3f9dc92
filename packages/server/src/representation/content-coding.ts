import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  gzip,
  type ZlibOptions,
  type ZstdOptions,
  zstdCompress,
} from 'node:zlib'

export type ContentCoding = 'zstd' | 'br' | 'gzip'

/** A body of fewer bytes fits in one packet, so compression saves nothing. */
const leastBytes = 1024

/** In order of preference: zstd is the fastest, and every client that names br or zstd knows gzip too. */
const codings: readonly ContentCoding[] = ['zstd', 'br', 'gzip']

/**
 * The coding in which a body is sent (RFC 9110, section 12.5.3); `undefined`: as it is. Among codings of the same
 * quality the gateway chooses. A header that accepts nothing is ignored.
 *
 * @param bytes - Length of the body. A short one is compressed only if the header forbids to send it as it is.
 * @param offered - The codings that there are, in order of preference.
 */
export function codingFor(
  acceptEncoding: string | undefined,
  bytes: number,
  offered: readonly ContentCoding[] = codings,
): ContentCoding | undefined {
  if (acceptEncoding === undefined) return undefined
  const qualities = readQualities(acceptEncoding)
  const others = qualities.get('*') ?? 0
  const identity = qualities.get('identity') ?? (qualities.get('*') === 0 ? 0 : undefined)
  if (bytes < leastBytes && identity !== 0) return undefined
  let chosen: ContentCoding | undefined
  let best = identity ?? 0
  for (const coding of offered) {
    const quality = qualities.get(coding) ?? 0
    if (quality > best || (quality > 0 && quality === best && chosen === undefined)) {
      chosen = coding
      best = quality
    }
  }
  // `*` is sent by clients of which only gzip is known to be common.
  return others > best && !qualities.has('gzip') && offered.includes('gzip') ? 'gzip' : chosen
}

/** Lower-case values of a header with qualities, such as `Accept-Encoding`. Of a repeated value the last one counts. */
export function readQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>()
  for (const member of header.toLowerCase().split(',')) {
    const [value = '', ...parameters] = member.split(';')
    const weight = parameters.map((parameter) => /^\s*q=([\d.]{1,5})\s*$/.exec(parameter)?.[1]).find(Boolean)
    const name = value.trim() === 'x-gzip' ? 'gzip' : value.trim()
    if (name !== '') qualities.set(name, weight === undefined ? 1 : Number(weight) || 0)
  }
  return qualities
}

/** Higher levels made pages of EVM transactions at most 2 % smaller, and took several times as long. */
export const codingSettings: { readonly gzip: ZlibOptions; readonly br: BrotliOptions; readonly zstd: ZstdOptions } = {
  gzip: { level: 6 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 3 } },
}

type Compress = (body: Uint8Array) => Promise<Buffer>

const [gzipAsync, brotliAsync, zstdAsync] = [promisify(gzip), promisify(brotliCompress), promisify(zstdCompress)]
const compressors: Readonly<Record<ContentCoding, Compress>> = {
  gzip: (body) => gzipAsync(body, codingSettings.gzip),
  br: (body) => brotliAsync(body, codingSettings.br),
  zstd: (body) => zstdAsync(body, codingSettings.zstd),
}

/** Runs in a thread of the pool. */
export function compress(body: Uint8Array, coding: ContentCoding): Promise<Buffer> {
  return compressors[coding](body)
}

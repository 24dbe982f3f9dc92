import { Lz77Output } from './lz77-output.ts'

/**
 * Decompresses an LZ4 frame (LZ4 Frame Format 1.6). Ignores its checksums, because the batch has one.
 *
 * @throws {RangeError} the frame is invalid, or its output exceeds `maxBytes`.
 */
export function decompressLz4(frame: Uint8Array, maxBytes: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (view.getUint32(0, true) !== frameMagic) throw new RangeError('they do not start as an LZ4 frame')
  const flags = view.getUint8(4)
  if (flags >> 6 !== 1) throw new RangeError('they are an LZ4 frame of an unknown version')
  if (flags & dictionaryFlag) throw new RangeError('they need an LZ4 dictionary')
  const checksumBytes = flags & blockChecksumFlag ? 4 : 0
  const output = new Lz77Output(4 * frame.length, maxBytes)
  let at = flags & contentSizeFlag ? 15 : 7
  for (;;) {
    const size = view.getUint32(at, true)
    at += 4
    if (size === 0) {
      if (flags & contentChecksumFlag && at + 4 > frame.length) throw new RangeError('an LZ4 frame is incomplete')
      return output.written()
    }
    const end = at + (size & ~uncompressedBit)
    if (size & uncompressedBit) output.copy(frame, at, end - at)
    else decompressBlock(frame, at, end, output)
    at = end + checksumBytes
  }
}

const frameMagic = 0x184d2204
const blockChecksumFlag = 0x10
const contentSizeFlag = 0x08
const contentChecksumFlag = 0x04
const dictionaryFlag = 0x01
const uncompressedBit = 0x8000_0000

/** A series of literal runs, each but the last followed by a repetition (LZ4 Block Format). */
function decompressBlock(bytes: Uint8Array, start: number, end: number, output: Lz77Output): void {
  if (end > bytes.length) throw new RangeError('an LZ4 block is incomplete')
  let at = start
  while (at < end) {
    const token = bytes[at++]!
    const literals = readLength(token >> 4)
    if (at > end || at + literals > end) throw new RangeError('a literal run ends after its LZ4 block')
    output.copy(bytes, at, literals)
    at += literals
    if (at === end) return
    const distance = bytes[at]! | (bytes[at + 1]! << 8)
    at += 2
    const length = readLength(token & 15)
    if (at > end) throw new RangeError('a repetition ends after its LZ4 block')
    output.repeat(distance, length + shortestRepetition)
  }

  function readLength(inToken: number): number {
    if (inToken < 15) return inToken
    let length = inToken
    let more: number
    do {
      more = bytes[at++]!
      length += more
    } while (more === 255)
    return length
  }
}

const shortestRepetition = 4

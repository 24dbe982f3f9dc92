import { Lz77Output } from './lz77-output.ts'

/**
 * Decompresses snappy: one block, or the framed blocks of the Java client (xerial's `SnappyOutputStream`).
 *
 * @throws {RangeError} the bytes are invalid, or the output exceeds `maxBytes`.
 */
export function decompressSnappy(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const output = new Lz77Output(4 * bytes.length, maxBytes)
  if (!xerialMagic.equals(bytes.subarray(0, xerialMagic.length))) {
    decompressBlock(bytes, output)
    return output.written()
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = xerialHeaderBytes; at < bytes.length; ) {
    const start = at + 4
    at = start + view.getUint32(at)
    if (at > bytes.length) throw new RangeError('a snappy block is incomplete')
    decompressBlock(bytes.subarray(start, at), output)
  }
  return output.written()
}

const xerialMagic = Buffer.from('\x82SNAPPY\0', 'latin1')
/** The magic, a version and the oldest compatible version. */
const xerialHeaderBytes = 16

/** The length of the output, then literal runs and repetitions (snappy's `format_description.txt`). */
function decompressBlock(block: Uint8Array, output: Lz77Output): void {
  let at = 0
  let announced = 0
  for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
    byte = byteAt(block, at++)
    announced += (byte & 0x7f) * 2 ** shift
  }
  const start = output.length
  while (at < block.length) {
    const tag = block[at++]!
    const count = (tag >> 2) + 1
    switch (tag & 3) {
      case 0: {
        const lengthBytes = Math.max(0, count - 60)
        const literals = lengthBytes === 0 ? count : littleEndian(block, at, lengthBytes) + 1
        output.copy(block, at + lengthBytes, literals)
        at += lengthBytes + literals
        break
      }
      case 1:
        output.repeat(((tag >> 5) << 8) | byteAt(block, at), ((tag >> 2) & 7) + 4)
        at += 1
        break
      case 2:
        output.repeat(byteAt(block, at) | (byteAt(block, at + 1) << 8), count)
        at += 2
        break
      case 3:
        output.repeat(littleEndian(block, at, 4), count)
        at += 4
    }
  }
  if (output.length - start !== announced) throw new RangeError('a snappy block does not have its announced length')
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let index = 0; index < count; index++) value += byteAt(bytes, at + index) * 2 ** (8 * index)
  return value
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new RangeError('the compressed bytes are incomplete')
  return byte
}

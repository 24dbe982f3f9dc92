import type { JsonWriter } from './json-writer.ts'

/** Writes bytes as a JSON string: `0x` and hexadecimal digits, or base64 with padding. */
export function writeBytes(
  out: JsonWriter,
  source: Uint8Array,
  start: number,
  end: number,
  form: 'hex' | 'base64',
): void {
  if (form === 'hex') writeHex(out, source, start, end)
  else writeBase64(out, source, start, end)
}

function writeHex(out: JsonWriter, source: Uint8Array, start: number, end: number): void {
  out.reserve((end - start) * 2 + 4)
  const { bytes } = out
  let at = out.length
  bytes[at++] = 0x22
  bytes[at++] = 0x30
  bytes[at++] = 0x78
  if (end - start > loopLimit) at += bytes.write(asBuffer(source).toString('hex', start, end), at, 'latin1')
  else
    for (let index = start; index < end; index++) {
      const byte = source[index]!
      bytes[at++] = digits[byte >> 4]!
      bytes[at++] = digits[byte & 15]!
    }
  bytes[at++] = 0x22
  out.length = at
}

function writeBase64(out: JsonWriter, source: Uint8Array, start: number, end: number): void {
  out.reserve((end - start) * 2 + 4)
  const { bytes } = out
  let at = out.length
  bytes[at++] = 0x22
  at += bytes.write(asBuffer(source).toString('base64', start, end), at, 'latin1')
  bytes[at++] = 0x22
  out.length = at
}

function asBuffer(source: Uint8Array): Buffer {
  return Buffer.isBuffer(source) ? source : Buffer.from(source.buffer, source.byteOffset, source.byteLength)
}

/** Up to here a loop is faster than a call out of JavaScript. */
const loopLimit = 128
const digits = Buffer.from('0123456789abcdef')

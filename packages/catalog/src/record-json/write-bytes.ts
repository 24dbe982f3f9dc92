import type { BytesForm } from '../schema/scalar-forms.ts'
import type { JsonWriter } from './json-writer.ts'

/** As `0x` and hexadecimal digits, or as base64 with padding. */
export function writeBytes(out: JsonWriter, source: Uint8Array, start: number, end: number, form: BytesForm): void {
  out.reserve((end - start) * 2 + 4)
  const { bytes } = out
  let at = out.length
  bytes[at++] = 0x22
  if (form === 'hex') {
    bytes[at++] = 0x30
    bytes[at++] = 0x78
  }
  if (end - start > loopLimit) at += bytes.write(asBuffer(source).toString(form, start, end), at, 'latin1')
  else if (form === 'base64') at = writeBase64Digits(bytes, at, source, start, end)
  else
    for (let index = start; index < end; index++) {
      const byte = source[index]!
      bytes[at++] = digits[byte >> 4]!
      bytes[at++] = digits[byte & 15]!
    }
  bytes[at++] = 0x22
  out.length = at
}

/** RFC 4648, section 4. Returns the offset after it. */
function writeBase64Digits(bytes: Buffer, place: number, source: Uint8Array, start: number, end: number): number {
  const rest = (end - start) % 3
  let at = place
  let index = start
  for (; index < end - rest; index += 3, at += 4)
    writeGroup(bytes, at, source[index]!, source[index + 1]!, source[index + 2]!)
  if (rest === 0) return at
  writeGroup(bytes, at, source[index]!, rest === 2 ? source[index + 1]! : 0, 0)
  if (rest === 1) bytes[at + 2] = padding
  bytes[at + 3] = padding
  return at + 4
}

function writeGroup(bytes: Buffer, at: number, first: number, second: number, third: number): void {
  bytes[at] = base64[first >> 2]!
  bytes[at + 1] = base64[((first & 3) << 4) | (second >> 4)]!
  bytes[at + 2] = base64[((second & 15) << 2) | (third >> 6)]!
  bytes[at + 3] = base64[third & 63]!
}

export function asBuffer(source: Uint8Array): Buffer {
  return Buffer.isBuffer(source) ? source : Buffer.from(source.buffer, source.byteOffset, source.byteLength)
}

/** Below this length a loop is faster than a native call. */
const loopLimit = 128
const digits = Buffer.from('0123456789abcdef')
const base64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const padding = 0x3d

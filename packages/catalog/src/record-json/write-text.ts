import { isUtf8 } from 'node:buffer'
import { MalformedMessageError } from '../wire/wire-reader.ts'
import type { JsonWriter } from './json-writer.ts'

/** @throws {MalformedMessageError} the bytes are not UTF-8, as proto3 requires. */
export function writeText(out: JsonWriter, source: Uint8Array, start: number, end: number): void {
  out.reserve((end - start) * 6 + 2)
  const { bytes } = out
  let at = out.length
  let high = 0
  bytes[at++] = quote
  for (let index = start; index < end; index++) {
    const byte = source[index]!
    high |= byte
    if (byte >= 0x20 && byte !== quote && byte !== backslash) bytes[at++] = byte
    else {
      const written = escapes[byte]!
      for (let place = 0; place < written.length; place++) bytes[at++] = written[place]!
    }
  }
  bytes[at++] = quote
  if (high >= 0x80 && !isUtf8(source.subarray(start, end)))
    throw new MalformedMessageError('a string field is not UTF-8')
  out.length = at
}

const quote = 0x22
const backslash = 0x5c
/** Of the ASCII characters as JSON. */
const escapes = Array.from({ length: 0x80 }, (_, byte) =>
  Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)),
)

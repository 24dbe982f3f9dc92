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
    else at = writeEscape(bytes, at, byte)
  }
  bytes[at++] = quote
  if (high >= 0x80 && !isUtf8(source.subarray(start, end)))
    throw new MalformedMessageError('a string field is not UTF-8')
  out.length = at
}

function writeEscape(bytes: Buffer, start: number, byte: number): number {
  let at = start
  bytes[at++] = backslash
  const short = shortEscapes.get(byte)
  if (short !== undefined) {
    bytes[at++] = short
    return at
  }
  return at + bytes.write(`u00${byte.toString(16).padStart(2, '0')}`, at, 'latin1')
}

const quote = 0x22
const backslash = 0x5c
const shortEscapes: ReadonlyMap<number, number> = new Map(
  [
    ['"', '"'],
    ['\\', '\\'],
    ['\b', 'b'],
    ['\f', 'f'],
    ['\n', 'n'],
    ['\r', 'r'],
    ['\t', 't'],
  ].map(([character, letter]) => [character!.charCodeAt(0), letter!.charCodeAt(0)]),
)

import { createLiteral, type JsonWriter } from '../record-json/json-writer.ts'
import { encodeCursor, type PartitionPlace, writePlace } from './cursor.ts'

/** Writes what `encodeCursor` makes of a place in a topic with one partition. Returns its length. */
export type WriteCursor = (out: JsonWriter, place: PartitionPlace) => number

/** The cursors of a topic begin with the same bytes, which are encoded once. */
export function createCursorWriter(id: string, topic: string): WriteCursor {
  const first = Buffer.from(encodeCursor({ topics: [{ id, topic, partitions: [firstPlace] }] }), 'base64url')
  const same = first.subarray(0, -writePlace(Buffer.alloc(longestPlace), 0, firstPlace))
  const aligned = same.length - (same.length % 3)
  const beginning = createLiteral(same.toString('base64url', 0, aligned))
  const end = Buffer.alloc(2 + longestPlace)
  const start = same.copy(end, 0, aligned)
  return (out, place) => {
    const from = out.length
    out.literal(beginning)
    writeDigits(out, end, writePlace(end, start, place))
    return out.length - from
  }
}

const firstPlace: PartitionPlace = { offset: 0n, seq: null }
/** Two numbers of up to 63 bits. */
const longestPlace = 18

/** RFC 4648, section 5, without padding. */
function writeDigits(out: JsonWriter, source: Uint8Array, length: number): void {
  out.reserve(Math.ceil((length * 4) / 3))
  const { bytes } = out
  let at = out.length
  let bits = 0
  let held = 0
  for (let index = 0; index < length; index++) {
    held = (held << 8) | source[index]!
    for (bits += 8; bits >= 6; bits -= 6) bytes[at++] = digits[(held >> (bits - 6)) & 63]!
  }
  if (bits > 0) bytes[at++] = digits[(held << (6 - bits)) & 63]!
  out.length = at
}

const digits = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')

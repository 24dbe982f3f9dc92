import type { QueueRecord } from '@headrace/queue'
import type { Adoption } from '../adoption/adoption.ts'
import { MalformedMessageError } from '../wire/wire-reader.ts'

/** Where the payload of a value begins, and what it was written with. */
export interface Framed {
  /** The id of a schema registry, or a GUID. Absent: the values of the topic are not framed. */
  readonly schema?: number | string
  readonly start: number
  /** Of protobuf: the place of the message in its file. Default: the first. */
  readonly indexes: readonly number[]
}

export type ReadFraming = (record: QueueRecord, value: Uint8Array) => Framed

/**
 * Confluent's wire format: a zero byte and the id of the schema in 4 bytes, or the header `__value_schema_id` with the
 * byte 1 and a GUID, since Confluent Platform 8.0. For protobuf, the indexes of the message follow either.
 *
 * @throws {MalformedMessageError} a value has neither.
 */
export function createFramingReader({ framing, format }: Adoption): ReadFraming {
  if (framing === 'raw') return () => raw
  const hasIndexes = format === 'protobuf'
  return ({ headers }, value) => {
    for (let index = headers.length - 1; index >= 0; index--)
      if (headers[index]!.key === schemaIdHeader) return readHeader(headers[index]!.value, hasIndexes)
    if (value[0] !== 0) throw new MalformedMessageError(`${missingFrame(value[0])} where the magic byte 0 is expected`)
    if (value.length < prefixLength) throw new MalformedMessageError('the value ends within the id of its schema')
    const schema = new DataView(value.buffer, value.byteOffset).getInt32(1)
    return hasIndexes
      ? { schema, ...readIndexes(value, prefixLength) }
      : { schema, start: prefixLength, indexes: first }
  }
}

function missingFrame(byte: number | undefined): string {
  return byte === undefined ? 'the value is empty,' : `the value begins with the byte ${byte},`
}

const schemaIdHeader = '__value_schema_id'
const prefixLength = 5
const guidLength = 16
const first: readonly number[] = [0]
const raw: Framed = { start: 0, indexes: first }

function readHeader(value: Uint8Array, hasIndexes: boolean): Framed {
  if (value[0] !== 1 || value.length < 1 + guidLength)
    throw new MalformedMessageError(`the header "${schemaIdHeader}" is not the byte 1 and a GUID`)
  const hex = Buffer.from(value.buffer, value.byteOffset + 1, guidLength).toString('hex')
  const schema = hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const isMore = hasIndexes && value.length > 1 + guidLength
  return { schema, start: 0, indexes: isMore ? readIndexes(value, 1 + guidLength).indexes : first }
}

/** Zigzag varints: how many there are, and each. None stands for the first message. */
function readIndexes(bytes: Uint8Array, start: number): Pick<Framed, 'start' | 'indexes'> {
  const cursor = { at: start }
  const count = readZigzag(bytes, cursor)
  if (count < 0 || count > mostIndexes) throw new MalformedMessageError(`the value has ${count} indexes of messages`)
  if (count === 0) return { start: cursor.at, indexes: first }
  const indexes = Array.from({ length: count }, () => readZigzag(bytes, cursor))
  return { start: cursor.at, indexes }
}

/** Messages are not nested deeper. */
const mostIndexes = 32

function readZigzag(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0
  for (let shift = 0; shift < 32; shift += 7) {
    const byte = bytes[cursor.at++]
    if (byte === undefined) throw new MalformedMessageError('the value ends within the indexes of its message')
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return (value >>> 1) ^ -(value & 1)
  }
  throw new MalformedMessageError('an index of a message has no end')
}

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { ChildMessage, ChildUnit, EncodedMessage } from './process-message.ts'

/** Decodes the content of a frame. Unknown fields are skipped. Throws where the bytes are no protobuf message. */
export function decodeChildMessage(bytes: Uint8Array): ChildMessage {
  const reader = new BinaryReader(bytes)
  let message: ChildMessage = { kind: 'unknown' }
  readFields(reader, bytes.length, {
    [delimited(1)]: () => (message = readReady(reader)),
    [delimited(2)]: () => (message = readUnit(reader)),
    [delimited(3)]: () => (message = readProgress(reader)),
    [delimited(4)]: () => (message = readFailed(reader)),
    [delimited(5)]: () => (message = readDone(reader)),
  })
  return message
}

function readReady(reader: BinaryReader): ChildMessage {
  let protocol = 0
  readFields(reader, readEnd(reader), { [varint(1)]: () => (protocol = reader.uint32()) })
  return { kind: 'ready', protocol }
}

function readUnit(reader: BinaryReader): ChildUnit {
  const messages: EncodedMessage[] = []
  let number = 0
  let checkpoint = ''
  let revertTo: string | undefined
  let final: string | undefined
  let timeMs: number | undefined
  readFields(reader, readEnd(reader), {
    [varint(1)]: () => (number = Number(reader.uint64())),
    [delimited(2)]: () => (checkpoint = reader.string(true)),
    [delimited(3)]: () => messages.push(readMessage(reader)),
    [delimited(4)]: () => (revertTo = reader.string(true)),
    [delimited(5)]: () => (final = reader.string(true)),
    [varint(6)]: () => (timeMs = Number(reader.int64())),
  })
  return { kind: 'unit', number, checkpoint, messages, revertTo, final, timeMs }
}

/** Without `readFields`, which is slower: there is one message for each record. */
function readMessage(reader: BinaryReader): EncodedMessage {
  const end = readEnd(reader)
  let type = 0
  let value: Uint8Array = noBytes
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === messageType) type = reader.uint32()
    else if (tag === messageValue) value = reader.bytes()
    else reader.skip(tag & 7, tag >>> 3)
  }
  if (reader.pos !== end) throw tooLong()
  return { type, value }
}

const messageType = varint(1)
const messageValue = delimited(2)
const noBytes = new Uint8Array(0)

function readProgress(reader: BinaryReader): ChildMessage {
  let at = 0
  let head = 0
  readFields(reader, readEnd(reader), {
    [tagOf(1, WireType.Bit64)]: () => (at = reader.double()),
    [tagOf(2, WireType.Bit64)]: () => (head = reader.double()),
  })
  return { kind: 'progress', at, head }
}

function readFailed(reader: BinaryReader): ChildMessage {
  let text = ''
  let retry = false
  readFields(reader, readEnd(reader), {
    [delimited(1)]: () => (text = reader.string()),
    [varint(2)]: () => (retry = reader.bool()),
  })
  return { kind: 'failed', text, retry }
}

function readDone(reader: BinaryReader): ChildMessage {
  reader.bytes()
  return { kind: 'done' }
}

/** Reads the length of the next message and returns where it ends. */
function readEnd(reader: BinaryReader): number {
  const length = reader.uint32()
  return reader.pos + length
}

/** Reads a message with a function for each known tag. */
function readFields(reader: BinaryReader, end: number, known: Readonly<Record<number, () => unknown>>): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag()
    const read = known[tagOf(field, wireType)]
    if (read) read()
    else reader.skip(wireType, field)
  }
  if (reader.pos !== end) throw tooLong()
}

function tooLong(): RangeError {
  return new RangeError('a message is longer than the field that holds it')
}

function varint(field: number): number {
  return tagOf(field, WireType.Varint)
}

function delimited(field: number): number {
  return tagOf(field, WireType.LengthDelimited)
}

function tagOf(field: number, wireType: WireType): number {
  return (field << 3) | wireType
}

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { ChildMessage, ChildUnit, EncodedMessage } from './process-message.ts'

/**
 * Decodes the content of a frame from the child. Unknown fields are skipped.
 *
 * @throws {Error} the bytes are no protobuf message.
 */
export function decodeChildMessage(bytes: Uint8Array): ChildMessage {
  const reader = new BinaryReader(bytes)
  let message: ChildMessage = { kind: 'unknown' }
  readFields(reader, bytes.length, (tag) => {
    switch (tag) {
      case ready:
        message = readReady(reader, readEnd(reader))
        return true
      case unit:
        message = readUnit(reader, readEnd(reader))
        return true
      case progress:
        message = readProgress(reader, readEnd(reader))
        return true
      case failed:
        message = readFailed(reader, readEnd(reader))
        return true
      case done:
        reader.bytes()
        message = { kind: 'done' }
        return true
      default:
        return false
    }
  })
  return message
}

/** The tag of a field as encoded. */
const tagOf = (field: number, wireType: WireType): number => (field << 3) | wireType

const ready = tagOf(1, WireType.LengthDelimited)
const unit = tagOf(2, WireType.LengthDelimited)
const progress = tagOf(3, WireType.LengthDelimited)
const failed = tagOf(4, WireType.LengthDelimited)
const done = tagOf(5, WireType.LengthDelimited)

function readReady(reader: BinaryReader, end: number): ChildMessage {
  let protocol = 0
  readFields(reader, end, (tag) => {
    if (tag !== tagOf(1, WireType.Varint)) return false
    protocol = reader.uint32()
    return true
  })
  return { kind: 'ready', protocol }
}

function readUnit(reader: BinaryReader, end: number): ChildUnit {
  const messages: EncodedMessage[] = []
  let number = 0
  let checkpoint = ''
  let revertTo: string | undefined
  let final: string | undefined
  let timeMs: number | undefined
  readFields(reader, end, (tag) => {
    switch (tag) {
      case unitFields.number:
        number = Number(reader.uint64())
        return true
      case unitFields.checkpoint:
        checkpoint = reader.string(true)
        return true
      case unitFields.messages:
        messages.push(readMessage(reader, readEnd(reader)))
        return true
      case unitFields.revertTo:
        revertTo = reader.string(true)
        return true
      case unitFields.final:
        final = reader.string(true)
        return true
      case unitFields.timeMs:
        timeMs = Number(reader.int64())
        return true
      default:
        return false
    }
  })
  return { kind: 'unit', number, checkpoint, messages, revertTo, final, timeMs }
}

const unitFields = {
  number: tagOf(1, WireType.Varint),
  checkpoint: tagOf(2, WireType.LengthDelimited),
  messages: tagOf(3, WireType.LengthDelimited),
  revertTo: tagOf(4, WireType.LengthDelimited),
  final: tagOf(5, WireType.LengthDelimited),
  timeMs: tagOf(6, WireType.Varint),
}

/** Without `readFields`, which is slower: there is one message for each record. */
function readMessage(reader: BinaryReader, end: number): EncodedMessage {
  let type = 0
  let value: Uint8Array = noBytes
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === messageFields.type) type = reader.uint32()
    else if (tag === messageFields.value) value = reader.bytes()
    else reader.skip(tag & 7, tag >>> 3)
  }
  if (reader.pos !== end) throw tooLong()
  return { type, value }
}

const messageFields = { type: tagOf(1, WireType.Varint), value: tagOf(2, WireType.LengthDelimited) }
const noBytes = new Uint8Array(0)

function readProgress(reader: BinaryReader, end: number): ChildMessage {
  let at = 0
  let head = 0
  readFields(reader, end, (tag) => {
    if (tag === tagOf(1, WireType.Bit64)) at = reader.double()
    else if (tag === tagOf(2, WireType.Bit64)) head = reader.double()
    else return false
    return true
  })
  return { kind: 'progress', at, head }
}

function readFailed(reader: BinaryReader, end: number): ChildMessage {
  let text = ''
  let retry = false
  readFields(reader, end, (tag) => {
    if (tag === tagOf(1, WireType.LengthDelimited)) text = reader.string()
    else if (tag === tagOf(2, WireType.Varint)) retry = reader.bool()
    else return false
    return true
  })
  return { kind: 'failed', text, retry }
}

/** Reads the length of the next message and returns where it ends. */
function readEnd(reader: BinaryReader): number {
  const length = reader.uint32()
  return reader.pos + length
}

/** Calls `read` with each field's tag. It reads the value, or returns false for an unknown field. */
function readFields(reader: BinaryReader, end: number, read: (tag: number) => boolean): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag()
    if (!read(tagOf(field, wireType))) reader.skip(wireType, field)
  }
  if (reader.pos !== end) throw tooLong()
}

function tooLong(): RangeError {
  return new RangeError('a message is longer than the field that holds it')
}

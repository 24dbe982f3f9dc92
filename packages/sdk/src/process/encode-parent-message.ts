import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { ParentMessage } from './process-message.ts'

/** Encodes a message to the child as a frame. */
export function encodeParentMessage(message: ParentMessage): Uint8Array {
  const writer = new BinaryWriter()
  switch (message.kind) {
    case 'start':
      writeStart(writer.tag(1, WireType.LengthDelimited).fork(), message).join()
      break
    case 'committed':
      writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.Varint).uint64(message.unit).join()
      break
    case 'stop':
      writer.tag(3, WireType.LengthDelimited).bytes(new Uint8Array(0))
  }
  const bytes = writer.finish()
  const frame = Buffer.allocUnsafe(4 + bytes.length)
  frame.writeUInt32BE(bytes.length)
  frame.set(bytes, 4)
  return frame
}

function writeStart(writer: BinaryWriter, start: ParentMessage & { kind: 'start' }): BinaryWriter {
  writer.tag(1, WireType.Varint).uint32(start.protocol).tag(2, WireType.LengthDelimited).string(start.config)
  for (const checkpoint of start.history) writer.tag(3, WireType.LengthDelimited).string(checkpoint)
  for (const name of start.messages) writer.tag(4, WireType.LengthDelimited).string(name)
  writer.tag(5, WireType.Varint).uint32(start.pendingUnits)
  return writer.tag(6, WireType.Varint).uint32(start.frameBytes)
}

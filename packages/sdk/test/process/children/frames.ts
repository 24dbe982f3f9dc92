import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/** The fields of a unit in a test, valid or not. */
export interface UnitFields {
  readonly number: number
  readonly checkpoint: string
  readonly type?: number
  readonly value?: Uint8Array
  readonly revertTo?: string
  readonly final?: string
  readonly timeMs?: number
}

export const frames = {
  ready: (protocol: number): Buffer => frameOf(1, (writer) => writer.tag(1, WireType.Varint).uint32(protocol)),
  unit: (unit: UnitFields): Buffer => frameOf(2, (writer) => writeUnit(writer, unit)),
  progress: (at: number, head: number): Buffer =>
    frameOf(3, (writer) => writer.tag(1, WireType.Bit64).double(at).tag(2, WireType.Bit64).double(head)),
  failed: (text: string, retry: boolean): Buffer =>
    frameOf(4, (writer) => writer.tag(1, WireType.LengthDelimited).string(text).tag(2, WireType.Varint).bool(retry)),
  done: (): Buffer => frameOf(5, () => {}),
  /** A member that version 1 does not define. */
  unknown: (): Buffer => frameOf(99, () => {}),
}

/** A Block of the chain of the tests, without a time. */
export function blockOf(number: number): Uint8Array {
  const writer = new BinaryWriter().tag(2, WireType.LengthDelimited).string(`0x${number}`)
  return writer.tag(3, WireType.Varint).uint64(number).finish()
}

/** A frame: its length, then its content. */
function frameOf(member: number, write: (writer: BinaryWriter) => unknown): Buffer {
  const writer = new BinaryWriter().tag(member, WireType.LengthDelimited).fork()
  write(writer)
  const content = writer.join().finish()
  const frame = Buffer.alloc(4 + content.length)
  frame.writeUInt32BE(content.length)
  frame.set(content, 4)
  return frame
}

function writeUnit(writer: BinaryWriter, unit: UnitFields): void {
  const { number, checkpoint, type, value, revertTo, final, timeMs } = unit
  writer.tag(1, WireType.Varint).uint64(number).tag(2, WireType.LengthDelimited).string(checkpoint)
  if (value) {
    writer.tag(3, WireType.LengthDelimited).fork()
    if (type !== undefined) writer.tag(1, WireType.Varint).uint32(type)
    writer.tag(2, WireType.LengthDelimited).bytes(value).join()
  }
  if (revertTo !== undefined) writer.tag(4, WireType.LengthDelimited).string(revertTo)
  if (final !== undefined) writer.tag(5, WireType.LengthDelimited).string(final)
  if (timeMs !== undefined) writer.tag(6, WireType.Varint).int64(timeMs)
}

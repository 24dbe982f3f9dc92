import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

export const protocolVersion = 1

/** The largest frame that a child may write. */
export const frameLimitBytes: number = 64 * 1024 * 1024

/** `ToChild` of `process.proto`. */
export type ParentMessage =
  | {
      readonly kind: 'start'
      readonly protocol: number
      readonly config: string
      /** JSON, newest first. */
      readonly history: readonly string[]
      readonly messages: readonly string[]
      readonly pendingUnits: number
      readonly frameBytes: number
    }
  | { readonly kind: 'committed'; readonly unit: number }
  | { readonly kind: 'stop' }

/** `FromChild` of `process.proto`. `unknown`: a message of a later version. */
export type ChildMessage =
  | { readonly kind: 'ready'; readonly protocol: number }
  | ChildUnit
  | { readonly kind: 'progress'; readonly at: number; readonly head: number }
  | { readonly kind: 'failed'; readonly text: string; readonly retry: boolean }
  | { readonly kind: 'done' }
  | { readonly kind: 'unknown' }

export interface ChildUnit {
  readonly kind: 'unit'
  readonly number: number
  /** JSON, as are `revertTo` and `final`. */
  readonly checkpoint: string
  readonly messages: readonly EncodedMessage[]
  readonly revertTo: string | undefined
  readonly final: string | undefined
  readonly timeMs: number | undefined
}

export interface EncodedMessage {
  /** Index into the `messages` of `start`. */
  readonly type: number
  readonly value: Uint8Array
}

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

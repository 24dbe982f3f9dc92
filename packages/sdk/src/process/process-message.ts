import { create, type DescMessage, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { createMessageCheck, schemaFromDescriptors } from '@headrace/catalog'
import { processDescriptors } from './generated/process-descriptors.ts'

export const protocolVersion = 1

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
  /** `type` is an index into the `messages` of `start`. */
  readonly messages: readonly { readonly type: number; readonly value: Uint8Array }[]
  readonly revertTo: string | undefined
  readonly final: string | undefined
  readonly timeMs: number | undefined
}

const schema = schemaFromDescriptors(Buffer.from(processDescriptors, 'base64'))
const [toChild, fromChild] = [messageNamed('ToChild'), messageNamed('FromChild')]
const checkFromChild = createMessageCheck(schema, fromChild.typeName, { exactTypes: true })

function messageNamed(name: string): DescMessage {
  return schema.message(`headrace.process.v1.${name}`)!
}

export function encodeParentMessage({ kind, ...fields }: ParentMessage): Uint8Array {
  const value = 'unit' in fields ? { unit: BigInt(fields.unit) } : fields
  const bytes = toBinary(toChild, create(toChild, { message: { case: kind, value } }))
  const frame = Buffer.allocUnsafe(4 + bytes.length)
  frame.writeUInt32BE(bytes.length)
  frame.set(bytes, 4)
  return frame
}

interface DecodedFrame {
  readonly message: { readonly case?: ChildMessage['kind']; readonly value: DecodedUnit & Message }
}

type DecodedUnit = Omit<ChildUnit, 'number' | 'timeMs'> & { readonly number: bigint; readonly timeMs?: bigint }

/** Unknown fields are skipped. Throws for bytes that are no protobuf message. */
export function decodeChildMessage(bytes: Uint8Array): ChildMessage {
  // The library ignores wire types, and accepts a message that is longer than the field that holds it.
  checkFromChild(bytes)
  const { message } = fromBinary(fromChild, bytes, { readUnknownFields: false }) as unknown as DecodedFrame
  if (message.case === undefined) return { kind: 'unknown' }
  const { $typeName, ...fields } = message.value
  if (message.case !== 'unit') return { ...fields, kind: message.case } as unknown as ChildMessage
  const { number, checkpoint, messages, revertTo, final, timeMs } = fields
  return {
    kind: 'unit',
    number: Number(number),
    checkpoint,
    messages: messages.map(({ type, value }) => ({ type, value })),
    revertTo,
    final,
    timeMs: timeMs === undefined ? undefined : Number(timeMs),
  }
}

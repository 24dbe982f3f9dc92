/** A valid or invalid frame of a client (RFC 6455, section 5.2). */
export interface FrameOptions {
  /** Default true. */
  readonly fin?: boolean
  /** The three reserved bits, 0 to 7. Default 0. */
  readonly reserved?: number
  /** Default text. */
  readonly opcode?: number
  /** Default true. */
  readonly masked?: boolean
  readonly payload?: string | Uint8Array
  /** Length of the payload in the header. Default: the actual length. */
  readonly length?: bigint
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

const mask = Buffer.from([0x12, 0x34, 0x56, 0x78])

export function frame({
  fin = true,
  reserved = 0,
  opcode = opcodes.text,
  masked = true,
  payload = '',
  length,
}: FrameOptions = {}): Buffer {
  const bytes = Buffer.from(payload)
  const head = lengthBytes(length ?? BigInt(bytes.length))
  head[0]! |= masked ? 0x80 : 0
  const first = Buffer.of((fin ? 0x80 : 0) | (reserved << 4) | opcode)
  if (!masked) return Buffer.concat([first, head, bytes])
  for (let index = 0; index < bytes.length; index++) bytes[index]! ^= mask[index % 4]!
  return Buffer.concat([first, head, mask, bytes])
}

/** A message with one frame per part. */
export function fragments(parts: readonly (string | Uint8Array)[]): Buffer[] {
  return parts.map((payload, index) =>
    frame({ payload, fin: index === parts.length - 1, opcode: index === 0 ? opcodes.text : opcodes.continuation }),
  )
}

/** A Close frame. */
export function closeFrame(code: number, reason: string | Uint8Array = ''): Buffer {
  return frame({
    opcode: opcodes.close,
    payload: Buffer.concat([Buffer.of(code >> 8, code & 255), Buffer.from(reason)]),
  })
}

function lengthBytes(length: bigint): Buffer {
  if (length < 126n) return Buffer.of(Number(length))
  if (length < 65_536n) return Buffer.of(126, Number(length >> 8n), Number(length & 255n))
  const bytes = Buffer.alloc(9)
  bytes[0] = 127
  bytes.writeBigUInt64BE(length, 1)
  return bytes
}

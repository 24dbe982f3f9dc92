const opcodeText = 0x81

/** A whole text message as a server sends it: one final, unmasked frame (RFC 6455, section 5.2). */
export function frameText(parts: readonly Uint8Array[]): Buffer {
  let length = 0
  for (const part of parts) length += part.byteLength
  const headerBytes = length < 126 ? 2 : length < 65536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headerBytes + length)
  frame[0] = opcodeText
  if (headerBytes === 2) frame[1] = length
  else if (headerBytes === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  let at = headerBytes
  for (const part of parts) {
    frame.set(part, at)
    at += part.byteLength
  }
  return frame
}

/** In bytes, for a non-negative safe integer. */
export function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
  return size
}

/** Returns the offset after it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let place = at
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[place++] = (rest % 0x80) | 0x80
  bytes[place++] = rest
  return place
}

/** Advances `cursor.at`. */
export function readVarint(bytes: Uint8Array, cursor: { at: number }): number | undefined {
  let value = 0
  for (let scale = 1; scale < 2 ** 56; scale *= 0x80) {
    const byte = bytes[cursor.at++]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return Number.isSafeInteger(value) ? value : undefined
  }
  return undefined
}

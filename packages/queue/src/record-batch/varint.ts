/** For signed 32-bit integers. */
export function varintSize(value: number): number {
  const zigzag = (value << 1) ^ (value >> 31)
  const bits = 32 - Math.clz32(zigzag | 1)
  return Math.ceil(bits / 7)
}

/** For signed integers of up to 53 bits. */
export function varlongSize(value: number): number {
  if (value === value >> 0) return varintSize(value)
  let size = 1
  for (let remaining = zigzagOf(value); remaining >= 0x80n; remaining >>= 7n) size++
  return size
}

/** Returns the position after it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let remaining = (value << 1) ^ (value >> 31)
  while (remaining >>> 7 !== 0) {
    bytes[at++] = remaining | 0x80
    remaining >>>= 7
  }
  bytes[at] = remaining
  return at + 1
}

/** For signed integers of up to 53 bits. */
export function writeVarlong(bytes: Uint8Array, at: number, value: number): number {
  if (value === value >> 0) return writeVarint(bytes, at, value)
  let remaining = zigzagOf(value)
  while (remaining >= 0x80n) {
    bytes[at++] = Number(remaining & 0x7fn) | 0x80
    remaining >>= 7n
  }
  bytes[at++] = Number(remaining)
  return at
}

/** Reads consecutive zigzag varints. Throws `RangeError` for an incomplete or too long number. */
export class VarintReader {
  readonly bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  readVarint(): number {
    const { bytes, at } = this
    const first = bytes[at]
    if (first !== undefined && first < 0x80) {
      this.at = at + 1
      return (first >>> 1) ^ -(first & 1)
    }
    const second = bytes[at + 1]
    if (first !== undefined && second !== undefined && second < 0x80) {
      this.at = at + 2
      const zigzag = (first & 0x7f) | (second << 7)
      return (zigzag >>> 1) ^ -(zigzag & 1)
    }
    return this.#readLongVarint()
  }

  #readLongVarint(): number {
    const { bytes } = this
    let zigzag = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[this.at++]
      if (byte === undefined) throw new RangeError('a number is incomplete')
      zigzag |= (byte & 0x7f) << shift
      if (byte < 0x80) return (zigzag >>> 1) ^ -(zigzag & 1)
    }
    throw new RangeError('a number of 32 bits takes more than 5 bytes')
  }

  /** Up to 64 bits. Above 53 bits it is rounded. */
  readVarlong(): number {
    const { bytes, at } = this
    const fitsTwoBytes = bytes[at]! < 0x80 || bytes[at + 1]! < 0x80
    return fitsTwoBytes ? this.readVarint() : this.#readLongVarlong()
  }

  #readLongVarlong(): number {
    let zigzag = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at++]
      if (byte === undefined) throw new RangeError('a number is incomplete')
      zigzag |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number((zigzag >> 1n) ^ -(zigzag & 1n))
    }
    throw new RangeError('a number of 64 bits takes more than 10 bytes')
  }
}

function zigzagOf(value: number): bigint {
  const long = BigInt(value)
  return (long << 1n) ^ (long >> 63n)
}

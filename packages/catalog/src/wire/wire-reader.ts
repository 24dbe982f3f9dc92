export class MalformedMessageError extends Error {}

export const wireTypes = { varint: 0, fixed64: 1, length: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const

export const depthLimit = 100

/** 64-bit values are read into the unsigned halves `low` and `high`. Callers check the end of the bytes. */
export class WireReader {
  bytes: Uint8Array = empty
  at = 0
  low = 0
  high = 0
  readonly #float = new DataView(new ArrayBuffer(8))

  /** Returns the low 32 bits, unsigned. */
  varint32(): number {
    const { bytes } = this
    let byte = bytes[this.at++]!
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    for (let shift = 7; shift < 35; shift += 7) {
      byte = bytes[this.at++]!
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
    for (let extra = 0; extra < 5; extra++) if (bytes[this.at++]! < 0x80) return value >>> 0
    throw new MalformedMessageError('a varint has no end')
  }

  varint64(): void {
    const { bytes } = this
    let low = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = bytes[this.at++]!
      low |= (byte & 0x7f) << shift
      if (byte < 0x80) {
        this.#keep(low, 0)
        return
      }
    }
    const middle = bytes[this.at++]!
    low |= (middle & 0x0f) << 28
    let high = (middle & 0x70) >> 4
    if (middle < 0x80) {
      this.#keep(low, high)
      return
    }
    for (let shift = 3; shift <= 31; shift += 7) {
      const byte = bytes[this.at++]!
      high |= (byte & 0x7f) << shift
      if (byte < 0x80) {
        this.#keep(low, high)
        return
      }
    }
    throw new MalformedMessageError('a varint has no end')
  }

  /** Decodes the ZigZag value in `low` and `high`. */
  zigzag64(): void {
    const sign = -(this.low & 1)
    const low = ((this.low >>> 1) | (this.high << 31)) ^ sign
    this.#keep(low, (this.high >>> 1) ^ sign)
  }

  /** Reads a length, and returns the end of the value. */
  valueEnd(end: number): number {
    const valueEnd = this.varint32() + this.at
    if (valueEnd > end) throw new MalformedMessageError('the message is cut off')
    return valueEnd
  }

  /** Returns whether the tag was next. */
  isNext(tag: number, end: number): boolean {
    const { at } = this
    if (at < end && this.varint32() === tag) return true
    this.at = at
    return false
  }

  fixed32(): number {
    const { bytes, at } = this
    this.at += 4
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  }

  fixed64(): void {
    const low = this.fixed32()
    this.#keep(low, this.fixed32())
  }

  float(): number {
    this.#float.setUint32(0, this.fixed32())
    return this.#float.getFloat32(0)
  }

  double(): number {
    this.fixed64()
    this.#float.setUint32(0, this.high)
    this.#float.setUint32(4, this.low)
    return this.#float.getFloat64(0)
  }

  /** The field is not a group, and its tag has been read. */
  skipValue(tag: number): void {
    const type = tag & 7
    if (type === wireTypes.varint) while (this.bytes[this.at++]! >= 0x80);
    else if (type === wireTypes.length) this.at = this.varint32() + this.at
    else if (type === wireTypes.fixed64) this.at += 8
    else if (type === wireTypes.fixed32) this.at += 4
    else throw new MalformedMessageError(`a field has the wire type ${type}`)
  }

  /** The field may be a group. */
  skip(tag: number, end: number, depth: number): void {
    if ((tag & 7) === wireTypes.startGroup) this.#skipGroup(tag, end, depth)
    else this.skipValue(tag)
  }

  #skipGroup(start: number, end: number, depth: number): void {
    if (depth >= depthLimit) throw new MalformedMessageError(`messages are nested more than ${depthLimit} deep`)
    while (this.at < end) {
      const tag = this.varint32()
      if ((tag & 7) !== wireTypes.endGroup) this.skip(tag, end, depth + 1)
      else if (tag >>> 3 === start >>> 3) return
      else break
    }
    throw new MalformedMessageError('a group has no end')
  }

  #keep(low: number, high: number): void {
    this.low = low >>> 0
    this.high = high >>> 0
  }
}

const empty = new Uint8Array(0)

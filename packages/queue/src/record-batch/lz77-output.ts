/** Output of an LZ77 decompressor: bytes of the input, and repetitions of earlier output. */
export class Lz77Output {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0
  readonly #maxBytes: number

  /** It grows from `expectedBytes` with the actual output. */
  constructor(expectedBytes: number, maxBytes: number) {
    this.#bytes = new Uint8Array(Math.min(expectedBytes, maxBytes))
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  copy(source: Uint8Array, start: number, count: number): void {
    if (start + count > source.length) throw new RangeError('the compressed bytes are incomplete')
    const at = this.#extend(count)
    const bytes = this.#bytes
    if (count > shortRun) bytes.set(source.subarray(start, start + count), at)
    else for (let index = 0; index < count; index++) bytes[at + index] = source[start + index]!
  }

  repeat(distance: number, count: number): void {
    const start = this.#length - distance
    if (distance === 0 || start < 0) throw new RangeError('a repetition starts before the first byte')
    const at = this.#extend(count)
    const bytes = this.#bytes
    if (count > shortRun && distance >= count) bytes.copyWithin(at, start, start + count)
    else for (let index = 0; index < count; index++) bytes[at + index] = bytes[start + index]!
  }

  written(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, 0, this.#length)
  }

  #extend(count: number): number {
    const at = this.#length
    const end = at + count
    if (end > this.#maxBytes) throw new RangeError(`they exceed ${this.#maxBytes} bytes when decompressed`)
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(Math.max(this.#bytes.length * 2, end), this.#maxBytes))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes = grown
    }
    this.#length = end
    return at
  }
}

// For fewer bytes a loop is faster than a call.
const shortRun = 32

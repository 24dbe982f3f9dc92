/** What a decompressor of the LZ77 family writes: bytes of its input, and repetitions of what it wrote before. */
export class Lz77Output {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0
  readonly #maxBytes: number

  /** @param expectedBytes - Allocated to begin with; it grows with what is really written, up to `maxBytes`. */
  constructor(expectedBytes: number, maxBytes: number) {
    this.#bytes = new Uint8Array(Math.min(expectedBytes, maxBytes))
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  /** Appends `count` bytes of `source` from `start`. Throws `RangeError` where it has fewer. */
  copy(source: Uint8Array, start: number, count: number): void {
    if (start + count > source.length) throw new RangeError('the compressed bytes are cut off')
    const at = this.#extend(count)
    const bytes = this.#bytes
    if (count > shortRun) bytes.set(source.subarray(start, start + count), at)
    else for (let index = 0; index < count; index++) bytes[at + index] = source[start + index]!
  }

  /** Appends `count` bytes from `distance` bytes back on. They may run into what they append. */
  repeat(distance: number, count: number): void {
    const start = this.#length - distance
    if (distance === 0 || start < 0) throw new RangeError('a repetition begins before the first byte')
    const at = this.#extend(count)
    const bytes = this.#bytes
    if (count > shortRun && distance >= count) bytes.copyWithin(at, start, start + count)
    else for (let index = 0; index < count; index++) bytes[at + index] = bytes[start + index]!
  }

  written(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, 0, this.#length)
  }

  /** Makes room for `count` bytes and returns where they begin. */
  #extend(count: number): number {
    const at = this.#length
    const end = at + count
    if (end > this.#maxBytes) throw new RangeError(`decompressed they take more than ${this.#maxBytes} bytes`)
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(Math.max(this.#bytes.length * 2, end), this.#maxBytes))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes = grown
    }
    this.#length = end
    return at
  }
}

// Copying fewer bytes one by one is quicker than a call that copies them.
const shortRun = 32

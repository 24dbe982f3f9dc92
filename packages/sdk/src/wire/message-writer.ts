import type { BinaryWriter } from '@bufbuild/protobuf/wire'

/** What generated codecs call. Each method but `finish` returns the writer itself. */
export type WireWriter = {
  [K in keyof BinaryWriter]: BinaryWriter[K] extends (...args: infer Args) => BinaryWriter
    ? (...args: Args) => WireWriter
    : BinaryWriter[K]
}

/** What a writer keeps at most between units: one large unit must not hold its memory for ever. */
const keptBytes = 16 * 1024 * 1024

/** Length prefixes are first written as one byte: most nested messages are shorter than 128 bytes. */
const forkPrefix = 1

/** Above this many characters a native write is faster than a loop over the characters. */
const loopLimit = 24

/**
 * Encodes messages one after the other into one buffer, which is used again after `reset`.
 *
 * It has the methods of `BinaryWriter` and writes the same bytes, but hands out views where that one makes a copy of
 * each message, and refuses a string field without a string where that one writes the word `undefined`.
 */
export class MessageWriter implements WireWriter {
  #buffer: Buffer
  /** Where the message that is being written begins. */
  #start = 0
  #at = 0
  readonly #forks: number[] = []
  readonly #scratch = new DataView(new ArrayBuffer(8))

  constructor(initialBytes: number = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(initialBytes)
  }

  /** For generated code, whose parameter is the class `BinaryWriter` and not its methods. */
  get codecWriter(): BinaryWriter {
    return this as unknown as BinaryWriter
  }

  /** Ends the message and returns its bytes: a view, valid until `reset`. */
  take(): Uint8Array {
    const message = this.#buffer.subarray(this.#start, this.#at)
    this.#start = this.#at
    return message
  }

  /** Drops what has been written since the last `take`. */
  discard(): void {
    this.#at = this.#start
    this.#forks.length = 0
  }

  /** Begins anew at the start of the buffer: views handed out before are no longer valid. */
  reset(): void {
    if (this.#buffer.length > keptBytes) this.#buffer = Buffer.allocUnsafeSlow(keptBytes)
    this.#start = 0
    this.#at = 0
    this.#forks.length = 0
  }

  finish(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.take())
  }

  fork(): this {
    this.#forks.push(this.#at - this.#start)
    this.#reserve(forkPrefix)
    this.#at += forkPrefix
    return this
  }

  join(): this {
    const fork = this.#forks.pop()
    if (fork === undefined) throw new TypeError('join without fork')
    const length = this.#at - this.#start - fork - forkPrefix
    const prefixBytes = varintBytes(length)
    if (prefixBytes > forkPrefix) {
      this.#reserve(prefixBytes - forkPrefix)
      const body = this.#start + fork + forkPrefix
      this.#buffer.copyWithin(this.#start + fork + prefixBytes, body, body + length)
    }
    this.#at = this.#start + fork
    this.#varint(length)
    this.#at += length
    return this
  }

  tag(fieldNo: number, type: number): this {
    return this.uint32(((fieldNo << 3) | type) >>> 0)
  }

  raw(chunk: Uint8Array): this {
    this.#reserve(chunk.length)
    this.#buffer.set(chunk, this.#at)
    this.#at += chunk.length
    return this
  }

  bytes(value: Uint8Array): this {
    this.#reserve(value.length + 5)
    this.#varint(value.length)
    this.#buffer.set(value, this.#at)
    this.#at += value.length
    return this
  }

  string(value: string): this {
    if (typeof value !== 'string') throw new TypeError(`a string field holds ${describe(value)}`)
    // A UTF-16 unit takes at most 3 bytes of UTF-8.
    this.#reserve(value.length * 3 + 5)
    if (value.length <= loopLimit && this.#ascii(value)) return this
    const guess = varintBytes(value.length)
    const written = this.#buffer.write(value, this.#at + guess, 'utf8')
    const prefixBytes = varintBytes(written)
    if (prefixBytes !== guess) {
      this.#buffer.copyWithin(this.#at + prefixBytes, this.#at + guess, this.#at + guess + written)
    }
    this.#varint(written)
    this.#at += written
    return this
  }

  bool(value: boolean): this {
    this.#reserve(1)
    this.#buffer[this.#at++] = value ? 1 : 0
    return this
  }

  uint32(value: number): this {
    this.#reserve(5)
    if (value >>> 0 !== value) throw outOfRange('uint32', value)
    this.#varint(value)
    return this
  }

  int32(value: number): this {
    if ((value | 0) !== value) throw outOfRange('int32', value)
    this.#reserve(10)
    if (value < 0) this.#varint64(value >>> 0, 0xffff_ffff)
    else this.#varint(value)
    return this
  }

  sint32(value: number): this {
    if ((value | 0) !== value) throw outOfRange('sint32', value)
    this.#reserve(5)
    this.#varint(((value << 1) ^ (value >> 31)) >>> 0)
    return this
  }

  fixed32(value: number): this {
    if (value >>> 0 !== value) throw outOfRange('fixed32', value)
    this.#reserve(4)
    this.#at = this.#buffer.writeUInt32LE(value, this.#at)
    return this
  }

  sfixed32(value: number): this {
    if ((value | 0) !== value) throw outOfRange('sfixed32', value)
    this.#reserve(4)
    this.#at = this.#buffer.writeInt32LE(value, this.#at)
    return this
  }

  float(value: number): this {
    if (typeof value !== 'number') throw outOfRange('float', value)
    if (Number.isFinite(value) && Math.abs(value) > 3.4028234663852886e38) throw outOfRange('float', value)
    this.#reserve(4)
    this.#at = this.#buffer.writeFloatLE(value, this.#at)
    return this
  }

  double(value: number): this {
    if (typeof value !== 'number') throw outOfRange('double', value)
    this.#reserve(8)
    this.#at = this.#buffer.writeDoubleLE(value, this.#at)
    return this
  }

  uint64(value: string | number | bigint): this {
    this.#reserve(10)
    this.#load(unsigned64('uint64', value))
    this.#varint64(this.#scratch.getUint32(0, true), this.#scratch.getUint32(4, true))
    return this
  }

  int64(value: string | number | bigint): this {
    this.#reserve(10)
    this.#load(signed64('int64', value))
    this.#varint64(this.#scratch.getUint32(0, true), this.#scratch.getUint32(4, true))
    return this
  }

  sint64(value: string | number | bigint): this {
    const signed = signed64('sint64', value)
    this.#reserve(10)
    this.#load((signed << 1n) ^ (signed >> 63n))
    this.#varint64(this.#scratch.getUint32(0, true), this.#scratch.getUint32(4, true))
    return this
  }

  fixed64(value: string | number | bigint): this {
    this.#reserve(8)
    this.#at = this.#buffer.writeBigUInt64LE(unsigned64('fixed64', value), this.#at)
    return this
  }

  sfixed64(value: string | number | bigint): this {
    this.#reserve(8)
    this.#at = this.#buffer.writeBigInt64LE(signed64('sfixed64', value), this.#at)
    return this
  }

  /** Makes room. A full buffer is left to the views on it, and only the message under way moves to a larger one. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return
    const written = this.#at - this.#start
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, (written + bytes) * 2))
    this.#buffer.copy(larger, 0, this.#start, this.#at)
    this.#buffer = larger
    this.#start = 0
    this.#at = written
  }

  /** Loads a 64-bit value into the scratch words, low word first. */
  #load(value: bigint): void {
    this.#scratch.setBigInt64(0, value, true)
  }

  #varint64(low: number, high: number): void {
    let lo = low
    let hi = high
    while (hi !== 0) {
      this.#buffer[this.#at++] = (lo & 0x7f) | 0x80
      lo = ((lo >>> 7) | (hi << 25)) >>> 0
      hi >>>= 7
    }
    this.#varint(lo)
  }

  #varint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.#buffer[this.#at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#buffer[this.#at++] = rest
  }

  /** Writes a short string with its length if all of it is ASCII. */
  #ascii(value: string): boolean {
    const length = value.length
    let at = this.#at
    this.#buffer[at++] = length
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0x7f) return false
      this.#buffer[at++] = code
    }
    this.#at = at
    return true
  }
}

function varintBytes(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  if (value < 0x20_0000) return 3
  return value < 0x1000_0000 ? 4 : 5
}

function unsigned64(type: string, value: string | number | bigint): bigint {
  const integer = typeof value === 'bigint' ? value : BigInt(value)
  if (integer < 0n || integer > 0xffff_ffff_ffff_ffffn) throw outOfRange(type, value)
  return integer
}

function signed64(type: string, value: string | number | bigint): bigint {
  const integer = typeof value === 'bigint' ? value : BigInt(value)
  if (integer < -0x8000_0000_0000_0000n || integer > 0x7fff_ffff_ffff_ffffn) throw outOfRange(type, value)
  return integer
}

function outOfRange(type: string, value: unknown): RangeError {
  return new RangeError(`a ${type} field holds ${describe(value)}`)
}

function describe(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : `a value of type ${typeof value}`
}

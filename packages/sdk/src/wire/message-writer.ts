import type { BinaryWriter } from '@bufbuild/protobuf/wire'
import { refusedValue, signed32, signed64, unsigned32, unsigned64 } from './field-value.ts'

export type WireWriter = {
  [K in keyof BinaryWriter]: BinaryWriter[K] extends (...args: infer Args) => BinaryWriter
    ? (...args: Args) => WireWriter
    : BinaryWriter[K]
}

/** Memory that a writer keeps between units. */
const keptBytes = 16 * 1024 * 1024

/** Most nested messages are shorter than 128 bytes, so their length is one byte. */
const forkPrefix = 1

/** For longer strings a native write is faster than a loop over the characters. */
const loopLimit = 16

/**
 * Encodes messages into one buffer, with the methods and bytes of `BinaryWriter`. It returns views, and rejects a value
 * that is not a string.
 */
export class MessageWriter implements WireWriter {
  #buffer: Buffer
  /** A private field is faster to read than the buffer's length. */
  #end: number
  #start = 0
  #at = 0
  readonly #forks: number[] = []
  readonly #scratch = new DataView(new ArrayBuffer(8))

  constructor(initialBytes: number = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(initialBytes)
    this.#end = initialBytes
  }

  /** For generated code, whose parameter is the class `BinaryWriter`. */
  get codecWriter(): BinaryWriter {
    return this as unknown as BinaryWriter
  }

  take(): Uint8Array {
    const message = this.#buffer.subarray(this.#start, this.#at)
    this.#start = this.#at
    return message
  }

  discard(): void {
    this.#at = this.#start
    this.#forks.length = 0
  }

  /** Starts again at the beginning of the buffer. Earlier views become invalid. */
  reset(): void {
    if (this.#end > keptBytes) {
      this.#buffer = Buffer.allocUnsafeSlow(keptBytes)
      this.#end = keptBytes
    }
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
    const length = value.length
    // An array, a text or a view of wider numbers would become other bytes.
    if (value.byteLength !== length) throw refusedValue('bytes', value)
    this.#reserve(length + 5)
    this.#varint(length)
    this.#buffer.set(value, this.#at)
    this.#at += length
    return this
  }

  string(value: string): this {
    if (typeof value !== 'string') throw refusedValue('string', value)
    // A UTF-16 unit takes at most 3 bytes of UTF-8.
    this.#reserve(value.length * 3 + 5)
    if (value.length <= loopLimit && this.#ascii(value)) return this
    const guess = varintBytes(value.length)
    const written = this.#buffer.write(value, this.#at + guess)
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
    const integer = value >>> 0 === value ? value : unsigned32('uint32', value)
    this.#reserve(5)
    this.#varint(integer)
    return this
  }

  int32(value: number): this {
    const integer = (value | 0) === value ? value : signed32('int32', value)
    this.#reserve(10)
    if (integer < 0) this.#varint64(integer >>> 0, 0xffff_ffff)
    else this.#varint(integer)
    return this
  }

  sint32(value: number): this {
    const integer = (value | 0) === value ? value : signed32('sint32', value)
    this.#reserve(5)
    this.#varint(((integer << 1) ^ (integer >> 31)) >>> 0)
    return this
  }

  fixed32(value: number): this {
    const integer = value >>> 0 === value ? value : unsigned32('fixed32', value)
    this.#reserve(4)
    this.#at = this.#buffer.writeUInt32LE(integer, this.#at)
    return this
  }

  sfixed32(value: number): this {
    const integer = (value | 0) === value ? value : signed32('sfixed32', value)
    this.#reserve(4)
    this.#at = this.#buffer.writeInt32LE(integer, this.#at)
    return this
  }

  float(value: number): this {
    if (typeof value !== 'number') throw refusedValue('float', value)
    if (Number.isFinite(value) && !Number.isFinite(Math.fround(value))) throw refusedValue('float', value)
    this.#reserve(4)
    this.#at = this.#buffer.writeFloatLE(value, this.#at)
    return this
  }

  double(value: number): this {
    if (typeof value !== 'number') throw refusedValue('double', value)
    this.#reserve(8)
    this.#at = this.#buffer.writeDoubleLE(value, this.#at)
    return this
  }

  uint64(value: string | number | bigint): this {
    return this.#bigVarint(unsigned64('uint64', value))
  }

  int64(value: string | number | bigint): this {
    return this.#bigVarint(signed64('int64', value))
  }

  sint64(value: string | number | bigint): this {
    const signed = signed64('sint64', value)
    return this.#bigVarint((signed << 1n) ^ (signed >> 63n))
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

  /** A full buffer stays with its views, and only the current message moves to a larger one. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#end) return
    const written = this.#at - this.#start
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#end * 2, (written + bytes) * 2))
    this.#buffer.copy(larger, 0, this.#start, this.#at)
    this.#buffer = larger
    this.#end = larger.length
    this.#start = 0
    this.#at = written
  }

  #bigVarint(value: bigint): this {
    this.#reserve(10)
    this.#scratch.setBigInt64(0, value, true)
    this.#varint64(this.#scratch.getUint32(0, true), this.#scratch.getUint32(4, true))
    return this
  }

  /** Writes four bytes at a time while more than 32 bits remain, because then all of them have a continuation bit. */
  #varint64(low: number, high: number): void {
    const buffer = this.#buffer
    let at = this.#at
    let lo = low
    let hi = high
    while (hi !== 0) {
      buffer[at] = lo | 0x80
      buffer[at + 1] = (lo >>> 7) | 0x80
      buffer[at + 2] = (lo >>> 14) | 0x80
      buffer[at + 3] = (lo >>> 21) | 0x80
      at += 4
      lo = ((lo >>> 28) | (hi << 4)) >>> 0
      hi >>>= 28
    }
    this.#at = at
    this.#varint(lo)
  }

  #varint(value: number): void {
    const buffer = this.#buffer
    let at = this.#at
    let rest = value
    while (rest > 0x7f) {
      buffer[at++] = rest | 0x80
      rest >>>= 7
    }
    buffer[at++] = rest
    this.#at = at
  }

  #ascii(value: string): boolean {
    const buffer = this.#buffer
    const length = value.length
    let at = this.#at
    buffer[at++] = length
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0x7f) return false
      buffer[at++] = code
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

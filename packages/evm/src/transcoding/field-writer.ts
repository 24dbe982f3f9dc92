import { viewOf } from './answer-scanner.ts'

/** A text that does not have the form of its field. */
export class MalformedField extends Error {}

/** Begin and end of a message among the written bytes. */
export type Range = readonly [start: number, end: number]

/**
 * Writes the fields of messages from the hexadecimal texts of an answer.
 *
 * The methods for fields get the tag, where the text begins and ends, and whether the field is written if it is 0 or
 * empty. They check every digit.
 *
 * @throws {MalformedField}
 */
export class FieldWriter {
  /** Of the answer. */
  bytes: Uint8Array = new Uint8Array()
  #view = viewOf(this.bytes)
  #out = Buffer.allocUnsafeSlow(1 << 20)
  #at = 0
  #start = 0
  /** The low 64 bits of a quantity, and the number of its digits without leading zeros. */
  #high = 0
  #low = 0
  #digits = 0
  readonly #double = Buffer.alloc(8)

  /** Begins with the messages of an answer. */
  begin(bytes: Uint8Array): void {
    this.bytes = bytes
    this.#view = viewOf(bytes)
    this.#at = 0
    this.#start = 0
  }

  /**
   * Makes space for the fields of an object that is `length` bytes long in the answer. A field is less than twice as
   * long as its member, even if it is empty and has a large number.
   */
  reserve(length: number): void {
    const needed = this.#at + 2 * length + addedBytes
    if (needed <= this.#out.length) return
    const larger = Buffer.allocUnsafeSlow(2 * needed)
    this.#out.copy(larger, 0, 0, this.#at)
    this.#out = larger
  }

  /** Removes the open message. */
  discard(): void {
    this.#at = this.#start
  }

  /** Ends the open message. */
  message(): Range {
    const range = [this.#start, this.#at] as const
    this.#start = this.#at
    return range
  }

  get at(): number {
    return this.#at
  }

  /** Removes what was written after `at`. */
  rewind(at: number): void {
    this.#at = at
  }

  /** The messages at these places, in one copy of all of them. */
  messages(ranges: readonly Range[]): Uint8Array[] {
    const all = Buffer.allocUnsafeSlow(this.#at)
    this.#out.copy(all, 0, 0, this.#at)
    return ranges.map(([start, end]) => all.subarray(start, end))
  }

  copy(bytes: Uint8Array): void {
    this.#out.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** Less than 2^32. */
  varint(value: number): void {
    const out = this.#out
    let left = value
    while (left > 127) {
      out[this.#at++] = (left & 127) | 128
      left >>>= 7
    }
    out[this.#at++] = left
  }

  /** A tag and a value or length below 2^32. */
  pair(tag: number, value: number): void {
    this.varint(tag)
    this.varint(value)
  }

  double(tag: number, value: number): void {
    this.varint(tag)
    this.#double.writeDoubleLE(value)
    this.copy(this.#double)
  }

  /** Begins a nested message. Its result is for `endNested`. */
  beginNested(tag: number): number {
    this.varint(tag)
    return this.#at
  }

  /** The length is not known before, so the fields are moved behind it. */
  endNested(start: number): void {
    const end = this.#at
    this.varint(end - start)
    const prefix = this.#at - end
    this.#out.copyWithin(start + prefix, start, end)
    this.#at = start
    this.varint(end - start)
    this.#at = end + prefix
  }

  /** At most 2^64 − 1. */
  uint64(tag: number, start: number, end: number, isKept: boolean): void {
    this.checkQuantity(start, end)
    if (this.#digits > 16) this.#low = this.#high = -1
    if (!isKept && this.#low === 0 && this.#high === 0) return
    this.varint(tag)
    const out = this.#out
    let low = this.#low >>> 0
    let high = this.#high >>> 0
    let at = this.#at
    while (high > 0 || low > 127) {
      out[at++] = (low & 127) | 128
      low = ((low >>> 7) | (high << 25)) >>> 0
      high >>>= 7
    }
    out[at++] = low
    this.#at = at
  }

  uint32(tag: number, start: number, end: number, isKept: boolean): void {
    this.checkQuantity(start, end)
    if (this.#digits > 8) throw new MalformedField()
    if (isKept || this.#low !== 0) this.pair(tag, this.#low >>> 0)
  }

  /** Big-endian bytes, only of a value above 2^64 − 1. */
  exact(tag: number, start: number, end: number): void {
    if (end - start > longestUint64) this.#bigEndian(tag, start, end, 16)
  }

  /** Big-endian bytes without leading zeros. */
  integer(tag: number, start: number, end: number): void {
    this.#bigEndian(tag, start, end, 0)
  }

  bytesField(tag: number, start: number, end: number, isKept: boolean): void {
    const length = end - start - 2
    if (!this.#isHex(start, end) || (length & 1) === 1) throw new MalformedField()
    if (length === 0 && !isKept) return
    this.pair(tag, length >> 1)
    this.#decode(start + 2, end, pairs)
  }

  /** 20 bytes. */
  address(tag: number, start: number, end: number): void {
    if (end - start !== addressLength) throw new MalformedField()
    this.bytesField(tag, start, end, true)
  }

  /** 32 bytes, from lower-case digits. */
  word(tag: number, start: number, end: number): void {
    if (end - start !== hashLength || !this.#isHex(start, end)) throw new MalformedField()
    this.pair(tag, 32)
    this.#decode(start + 2, end, lowerPairs)
  }

  /** A string of 32 bytes in lower case. */
  hash(tag: number, start: number, end: number): void {
    if (end - start !== hashLength || !this.#isHex(start, end)) throw new MalformedField()
    this.pair(tag, hashLength)
    const view = this.#view
    const out = this.#out
    let at = this.#at
    let or = 0
    out[at++] = digitZero
    out[at++] = letterX
    for (let from = start + 2; from < end; from += 2) {
      const pair = view.getUint16(from)
      or |= lowerPairs[pair]!
      out[at++] = pair >> 8
      out[at++] = pair
    }
    if (or > 255) throw new MalformedField()
    this.#at = at
  }

  /** -1: not a quantity of at most 2^53 − 1. */
  number(start: number, end: number): number {
    if (!this.#read(start, end) || this.#digits > 16) return -1
    const value = (this.#high >>> 0) * 2 ** 32 + (this.#low >>> 0)
    return value <= Number.MAX_SAFE_INTEGER ? value : -1
  }

  checkQuantity(start: number, end: number): void {
    if (!this.#read(start, end)) throw new MalformedField()
  }

  #read(start: number, end: number): boolean {
    const { bytes } = this
    let or = 0
    let high = 0
    let low = 0
    for (let from = this.#skipZeros(start, end); from < end; from++) {
      const digit = digits[bytes[from]!]!
      or |= digit
      high = (high << 4) | (low >>> 28)
      low = (low << 4) | digit
    }
    this.#high = high
    this.#low = low
    return or <= 15 && this.#isHex(start, end)
  }

  /** Also counts the digits that follow. */
  #skipZeros(start: number, end: number): number {
    const { bytes } = this
    let first = start + 2
    while (first < end && bytes[first] === digitZero) first++
    this.#digits = end - first
    return first
  }

  #isHex(start: number, end: number): boolean {
    const { bytes } = this
    return end >= start + 2 && bytes[start] === digitZero && bytes[start + 1] === letterX
  }

  /** If it has more than `most` digits without leading zeros. */
  #bigEndian(tag: number, start: number, end: number, most: number): void {
    if (!this.#isHex(start, end)) throw new MalformedField()
    let from = this.#skipZeros(start, end)
    if (this.#digits <= most) return
    this.pair(tag, (this.#digits + 1) >> 1)
    if ((this.#digits & 1) === 1) {
      const digit = digits[this.bytes[from++]!]!
      if (digit > 15) throw new MalformedField()
      this.#out[this.#at++] = digit
    }
    this.#decode(from, end, pairs)
  }

  #decode(start: number, end: number, values: Uint16Array): void {
    const view = this.#view
    const out = this.#out
    let at = this.#at
    let or = 0
    for (let from = start; from < end; from += 2) {
      const byte = values[view.getUint16(from)]!
      or |= byte
      out[at++] = byte
    }
    if (or > 255) throw new MalformedField()
    this.#at = at
  }
}

/** The byte of two hexadecimal digits, by their two bytes of text; 256 for other text. */
const pairs = new Uint16Array(1 << 16).fill(256)
const lowerPairs = new Uint16Array(1 << 16).fill(256)

/** The value of each byte as a hexadecimal digit; 255 for other bytes. */
const digits = new Uint8Array(256).fill(255)
const forms = [...'0123456789abcdef'].flatMap((digit, value) => [
  [digit.charCodeAt(0), value] as const,
  [digit.toUpperCase().charCodeAt(0), value] as const,
])
for (const [upper, high] of forms) {
  digits[upper] = high
  for (const [lower, low] of forms) {
    const byte = (high << 4) | low
    pairs[(upper << 8) | lower] = byte
    if (!isCapital(upper) && !isCapital(lower)) lowerPairs[(upper << 8) | lower] = byte
  }
}

function isCapital(digit: number): boolean {
  return digit >= 65 && digit <= 70
}

/** Larger than the fields of a message that are not from its own object. */
const addedBytes = 1024
/** In characters. */
const hashLength = '0x'.length + 64
const addressLength = '0x'.length + 40
const longestUint64 = '0xffffffffffffffff'.length
const digitZero = 48
const letterX = 120

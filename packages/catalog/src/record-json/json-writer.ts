export class JsonWriter {
  bytes: Buffer = Buffer.allocUnsafeSlow(initialBytes)
  length = 0
  #view = viewOf(this.bytes)

  reserve(bytes: number): void {
    const needed = this.length + bytes
    if (needed <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
    this.#view = viewOf(grown)
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1)
    this.bytes[this.length++] = value
  }

  literal({ words, length }: JsonLiteral): void {
    this.reserve(words.length * 4)
    const view = this.#view
    let at = this.length
    this.length += length
    for (let index = 0; index < words.length; index++, at += 4) view.setInt32(at, words[index]!)
  }

  text(json: string): void {
    this.reserve(json.length * 3)
    this.length += this.bytes.write(json, this.length)
  }

  /** The text needs no escapes. */
  ascii(text: string): void {
    const { length } = text
    this.reserve(length)
    const { bytes } = this
    const at = this.length
    if (length > loopLimit) bytes.write(text, at, 'latin1')
    else for (let index = 0; index < length; index++) bytes[at + index] = text.charCodeAt(index)
    this.length = at + length
  }

  /** Each item since `first` has a comma before it, and the first comma is replaced. */
  enclose(first: number, pair: readonly [open: number, close: number]): void {
    if (this.length === first) this.byte(pair[0])
    else this.bytes[first] = pair[0]
    this.byte(pair[1])
  }

  toBytes(): Buffer {
    const copy = Buffer.allocUnsafe(this.length)
    this.bytes.copy(copy, 0, 0, this.length)
    return copy
  }

  parse(): unknown {
    return JSON.parse(this.bytes.toString('utf8', 0, this.length))
  }

  reset(): void {
    this.length = 0
    if (this.bytes.length <= keptBytes) return
    this.bytes = Buffer.allocUnsafeSlow(initialBytes)
    this.#view = viewOf(this.bytes)
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

export const braces = [0x7b, 0x7d] as const
export const brackets = [0x5b, 0x5d] as const
export const comma = 0x2c
const initialBytes = 16 * 1024
const keptBytes = 1024 * 1024
/** Below this length a loop is faster than a native call. */
const loopLimit = 32

/** Copying by four-byte words takes a third of the time. */
export interface JsonLiteral {
  readonly text: string
  /** Big-endian, padded with zeros. */
  readonly words: Int32Array
  /** In UTF-8 bytes. */
  readonly length: number
}

export function createLiteral(text: string): JsonLiteral {
  const bytes = Buffer.from(text)
  const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4)
  bytes.copy(padded)
  const words = Int32Array.from({ length: padded.length / 4 }, (_, index) => padded.readInt32BE(index * 4))
  return { text, words, length: bytes.length }
}

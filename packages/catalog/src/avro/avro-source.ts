import type { JsonWriter } from '../record-json/json-writer.ts'
import type { BytesForm } from '../schema/scalar-forms.ts'
import { MalformedMessageError, WireReader } from '../wire/wire-reader.ts'

/** Items without bytes: a count would otherwise make any number of them. */
const emptyItemLimit = 10_000

/** An Avro value that is being read, and the JSON that is written of it. One at a time. */
export class AvroSource {
  readonly reader: WireReader = new WireReader()
  readonly out: JsonWriter
  readonly bytesForm: BytesForm
  /** Of 64-bit integers: in quotes, as in ProtoJSON, or not. */
  readonly quotesLongs: boolean
  #end = 0
  #emptyItems = 0

  constructor(out: JsonWriter, bytesForm: BytesForm, quotesLongs: boolean) {
    this.out = out
    this.bytesForm = bytesForm
    this.quotesLongs = quotesLongs
  }

  open(value: Uint8Array, start: number): void {
    this.reader.bytes = value
    this.reader.at = start
    this.#end = value.length
    this.#emptyItems = 0
  }

  /** @throws {MalformedMessageError} more bytes were read than there are. */
  checkEnd(): void {
    if (this.reader.at > this.#end) throw new MalformedMessageError('the value is cut off')
  }

  /** @throws {MalformedMessageError} bytes are left. */
  close(): void {
    this.checkEnd()
    if (this.reader.at < this.#end)
      throw new MalformedMessageError(`${this.#end - this.reader.at} bytes follow the value`)
  }

  /** Into `low` and `high` of the reader. */
  long(): void {
    this.reader.varint64()
    this.reader.zigzag64()
  }

  /** @throws {MalformedMessageError} it does not fit in 32 bits. */
  int(): number {
    this.long()
    const { low, high } = this.reader
    if (high !== (low >= 0x8000_0000 ? 0xffff_ffff : 0)) throw new MalformedMessageError('an int has more than 32 bits')
    return low | 0
  }

  /** The end of as many bytes as a length says, which is read before them. */
  lengthEnd(): number {
    const length = this.safeLong()
    return this.endAfter(length)
  }

  endAfter(length: number): number {
    const end = this.reader.at + length
    if (length < 0 || end > this.#end) throw new MalformedMessageError('the value is cut off')
    return end
  }

  safeLong(): number {
    this.long()
    const { low, high } = this.reader
    const value = (high | 0) * 0x1_0000_0000 + low
    if (!Number.isSafeInteger(value)) throw new MalformedMessageError('a length or count is too large')
    return value
  }

  /** The items of an array or a map. */
  items(readItem: () => void): void {
    for (let count = this.safeLong(); count !== 0; count = this.safeLong()) {
      // A negative count is followed by the size of the block in bytes.
      if (count < 0) this.safeLong()
      for (let left = Math.abs(count); left > 0; left--) {
        const before = this.reader.at
        readItem()
        this.checkEnd()
        if (this.reader.at === before && ++this.#emptyItems > emptyItemLimit)
          throw new MalformedMessageError(`it has more than ${emptyItemLimit} items without bytes`)
      }
    }
  }
}

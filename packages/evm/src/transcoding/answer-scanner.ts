import { AnswerProblem } from './answer-problem.ts'

/**
 * What a member holds: a text, a list of texts, or a list of objects. `null` is the same as no member. `any` is skipped,
 * as members that are not named here, but faster.
 */
export type MemberShape = 'any' | 'text' | 'texts' | Members

/** The members of an object that are read. Others are skipped. */
export interface Members {
  readonly names: readonly string[]
  readonly shapes: readonly MemberShape[]
  readonly byLength: readonly (readonly { readonly name: Uint8Array; readonly member: number }[] | undefined)[]
  /** How each member begins, as nodes write it. */
  readonly prefixes: readonly Prefix[]
  /**
   * The two members that have followed each member, the last one first, because a node keeps its order; at 0 those that
   * came first. -1: unknown.
   */
  readonly following: Int8Array
}

/** A text, in four bytes at a time and the rest, because nearly all bytes of an answer are compared with one. */
interface Prefix {
  readonly words: Int32Array
  readonly rest: Uint8Array
  readonly length: number
}

function prefixOf(text: string): Prefix {
  const bytes = Buffer.from(text)
  const words = Int32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readInt32LE(4 * index))
  return { words, rest: bytes.subarray(4 * words.length), length: bytes.length }
}

export function defineMembers(shapes: Readonly<Record<string, MemberShape>>): Members {
  const names = Object.keys(shapes)
  const byLength: { name: Uint8Array; member: number }[][] = []
  for (const [member, name] of names.entries()) {
    byLength[name.length] ??= []
    byLength[name.length]!.push({ name: Buffer.from(name), member })
  }
  const prefixes = names.map((name) => prefixOf(`"${name}":`))
  const following = new Int8Array(2 * names.length + 2).fill(-1)
  return { names, shapes: Object.values(shapes), byLength, prefixes, following }
}

/** An object, or a text of a list: its place in the slots of the scanner. */
export type Scanned = number

/** Of an object: the next one in its list, and where it begins and ends. Two slots per member follow. */
const headerSlots = 3
const absent = -1
const isNull = -2

/** Finds where the members of a JSON value begin and end, without making objects or strings. */
export class AnswerScanner {
  bytes: Buffer = Buffer.alloc(0)
  #view = new DataView(this.bytes.buffer)
  #at = 0
  #slots = new Int32Array(1 << 14)
  #used = 0
  #subject = ''

  /**
   * Begins with the object that is the whole of `bytes`.
   *
   * @param subject What the answer is for, in errors.
   * @throws {AnswerProblem} it is not JSON, has a member twice, or one of another shape.
   */
  object(bytes: Buffer, members: Members, subject: string): Scanned {
    this.#begin(bytes, subject)
    const object = this.#object(members)
    this.#end()
    return object
  }

  /** As `object`, of a list of objects. It is the only member of the result. */
  list(bytes: Buffer, members: Members, subject: string): Scanned {
    this.#begin(bytes, subject)
    const holder = this.#allocate(1)
    this.#list(members, holder + headerSlots)
    this.#end()
    return holder
  }

  /** Of a text, where its characters begin; of a list, its first element. */
  start(object: Scanned, member: number): number {
    return this.#slots[object + headerSlots + 2 * member]!
  }

  /** Of a text, where its characters end; of a list, its length. Negative: the member is absent or `null`. */
  end(object: Scanned, member: number): number {
    return this.#slots[object + headerSlots + 2 * member + 1]!
  }

  /** The element after one of a list. */
  next(element: Scanned): Scanned {
    return this.#slots[element]!
  }

  /** Length of an object in the answer, in bytes. */
  size(object: Scanned): number {
    return this.#slots[object + 2]! - this.#slots[object + 1]!
  }

  /** Whether a text is the same as one of `length` bytes elsewhere in the answer. */
  isSame(object: Scanned, member: number, other: number, length: number): boolean {
    const start = this.start(object, member)
    if (this.end(object, member) - start !== length) return false
    const view = this.#view
    let at = 0
    for (; at <= length - 4; at += 4) if (view.getInt32(start + at) !== view.getInt32(other + at)) return false
    for (; at < length; at++) if (this.bytes[start + at] !== this.bytes[other + at]) return false
    return true
  }

  text(object: Scanned, member: number): string | undefined {
    const end = this.end(object, member)
    return end < 0 ? undefined : this.bytes.toString('latin1', this.start(object, member), end)
  }

  invalid(difference: string): AnswerProblem {
    return new AnswerProblem(this.#subject, difference)
  }

  #begin(bytes: Buffer, subject: string): void {
    this.bytes = bytes
    this.#view = viewOf(bytes)
    this.#at = 0
    this.#used = 0
    this.#subject = subject
    this.#space()
  }

  #end(): void {
    this.#space()
    if (this.#at < this.bytes.length) throw this.#notJson()
  }

  #object(members: Members): Scanned {
    const { bytes } = this
    if (bytes[this.#at] !== openBrace) throw this.invalid('something else is in place of an object')
    const object = this.#allocate(members.names.length)
    this.#slots[object + 1] = this.#at++
    this.#space()
    if (bytes[this.#at] !== closeBrace)
      for (let last = -1; ; ) {
        const member = this.#name(members, last)
        if (member < 0) this.#skip()
        else {
          last = member
          this.#value(members, member, object + headerSlots + 2 * member)
        }
        if (!this.#hasNext(closeBrace)) break
      }
    this.#slots[object + 2] = ++this.#at
    return object
  }

  /** Whether a comma follows, and not the end of the list or object. Goes to what follows the comma. */
  #hasNext(close: number): boolean {
    const { bytes } = this
    if (bytes[this.#at]! <= space) this.#space()
    const byte = bytes[this.#at]
    if (byte === close) return false
    if (byte !== comma) throw this.#notJson()
    this.#at++
    if (bytes[this.#at]! <= space) this.#space()
    return true
  }

  /** Goes from the name of a member to its value. -1: a member that is not read. */
  #name(members: Members, last: number): number {
    const { prefixes, following } = members
    const first = 2 * last + 2
    const expected = following[first]!
    if (expected >= 0 && this.#hasPrefix(prefixes[expected]!)) return expected
    const other = following[first + 1]!
    const member = other >= 0 && this.#hasPrefix(prefixes[other]!) ? other : this.#find(members)
    if (member >= 0) {
      following[first] = member
      following[first + 1] = expected
    }
    return member
  }

  #find({ names, byLength }: Members): number {
    const { bytes } = this
    const start = this.#at + 1
    if (bytes[this.#at] !== quote) throw this.#notJson()
    let end = start
    while (bytes[end]! >= space && bytes[end] !== quote && bytes[end] !== backslash) end++
    let member = -1
    if (bytes[end] !== quote) member = names.indexOf(this.#parse(this.#endOfAnyText(start) + 1) as string)
    else {
      this.#at = end + 1
      for (const each of byLength[end - start] ?? []) if (isAt(bytes, start, each.name)) member = each.member
    }
    this.#space()
    if (bytes[this.#at++] !== colon) throw this.#notJson()
    this.#space()
    return member
  }

  #hasPrefix({ words, rest, length }: Prefix): boolean {
    const { bytes } = this
    let at = this.#at
    if (at + length > bytes.length) return false
    for (let index = 0; index < words.length; index++) {
      if (this.#view.getInt32(at, true) !== words[index]) return false
      at += 4
    }
    for (let index = 0; index < rest.length; index++) if (bytes[at++] !== rest[index]) return false
    this.#at = at
    if (bytes[at]! <= space) this.#space()
    return true
  }

  #value({ names, shapes }: Members, member: number, slot: number): void {
    const byte = this.bytes[this.#at]
    const shape = shapes[member]!
    if (this.#slots[slot + 1] !== absent) throw this.invalid(`it has ${names[member]} twice`)
    if (shape === 'any') this.#skip()
    else if (byte === letterN && this.#hasPrefix(nullText)) this.#slots[slot + 1] = isNull
    else if (shape === 'text' && byte === quote) this.#text(slot)
    else if (shape !== 'text' && byte === openBracket) this.#list(shape, slot)
    else throw this.invalid(`it has no valid ${names[member]}`)
  }

  /** Into two slots: the first element, and the number of elements. */
  #list(shape: Members | 'texts', slot: number): void {
    if (this.bytes[this.#at] !== openBracket) throw this.invalid('something else is in place of a list')
    this.#at++
    this.#space()
    let count = 0
    if (this.bytes[this.#at] !== closeBracket)
      for (let last = slot; ; ) {
        const element = shape === 'texts' ? this.#element() : this.#object(shape)
        this.#slots[last] = element
        last = element
        count++
        if (!this.#hasNext(closeBracket)) break
      }
    this.#at++
    this.#slots[slot + 1] = count
  }

  #element(): Scanned {
    if (this.bytes[this.#at] !== quote) throw this.invalid('something else is in place of a text')
    const element = this.#allocate(1)
    this.#text(element + headerSlots)
    return element
  }

  #text(slot: number): void {
    const start = this.#at + 1
    const end = this.#endOfText(start)
    this.#slots[slot] = start
    this.#slots[slot + 1] = end
    this.#at = end + 1
  }

  /** Of a hexadecimal text. One that ends with a backslash is refused, because its quote may be escaped. */
  #endOfText(start: number): number {
    const { bytes } = this
    const end = this.#nextQuote(start)
    if (end >= bytes.length || bytes[end - 1] === backslash) throw this.#notJson()
    return end
  }

  /** Compares four bytes at a time: in `differences`, a quote is a byte of zeros. */
  #nextQuote(start: number): number {
    const { bytes } = this
    const view = this.#view
    let at = start
    for (const last = bytes.length - 4; at <= last; at += 4) {
      const differences = view.getInt32(at, true) ^ fourQuotes
      const zeros = (differences - 0x01010101) & ~differences & 0x80808080
      if (zeros !== 0) return at + ((31 - Math.clz32(zeros & -zeros)) >> 3)
    }
    while (at < bytes.length && bytes[at] !== quote) at++
    return at
  }

  #allocate(members: number): Scanned {
    const object = this.#used
    this.#used += headerSlots + 2 * members
    if (this.#used > this.#slots.length) {
      const larger = new Int32Array(2 * this.#used)
      larger.set(this.#slots)
      this.#slots = larger
    }
    this.#slots.fill(absent, object, this.#used)
    return object
  }

  /** Skips a value of any kind, which must be JSON. */
  #skip(): void {
    const { bytes } = this
    let end = this.#at
    if (bytes[end] === letterF && this.#hasPrefix(falseText)) return
    if (bytes[end] === quote) {
      do end++
      while (bytes[end]! >= space && bytes[end] !== quote && bytes[end] !== backslash)
      if (bytes[end] === quote) {
        this.#at = end + 1
        return
      }
      end = this.#at
    }
    let depth = 0
    do {
      const byte = bytes[end]
      if (byte === undefined) throw this.#notJson()
      if (byte === quote) end = this.#endOfAnyText(end + 1)
      else if (byte === openBrace || byte === openBracket) depth++
      else if (byte === closeBrace || byte === closeBracket) depth--
      end++
    } while (depth > 0 || !isAfterValue(bytes[end]))
    this.#parse(end)
  }

  #endOfAnyText(start: number): number {
    const { bytes } = this
    let end = start
    while (bytes[end] !== quote) {
      if (bytes[end] === undefined) throw this.#notJson()
      end += bytes[end] === backslash ? 2 : 1
    }
    return end
  }

  #parse(end: number): unknown {
    try {
      const value = JSON.parse(this.bytes.toString('utf8', this.#at, end))
      this.#at = end
      return value
    } catch {
      throw this.#notJson()
    }
  }

  #space(): void {
    const { bytes } = this
    for (let byte = bytes[this.#at]; byte === space || byte === newline || byte === carriageReturn || byte === tab; )
      byte = bytes[++this.#at]
  }

  #notJson(): AnswerProblem {
    return this.invalid(`it is not JSON from byte ${this.#at} on`)
  }
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[at + index] !== wanted[index]) return false
  return true
}

function isAfterValue(byte: number | undefined): boolean {
  return byte === undefined || byte === comma || byte === closeBrace || byte === closeBracket || byte <= space
}

const fourQuotes = 0x22222222
const nullText = prefixOf('null')
const falseText = prefixOf('false')

const [tab, newline, carriageReturn, space] = [9, 10, 13, 32]
const [letterF, letterN] = [102, 110]
const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125]

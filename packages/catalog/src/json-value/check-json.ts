import { isUtf8 } from 'node:buffer'
import { depthLimit, MalformedMessageError } from '../wire/wire-reader.ts'

/** Offsets of a member of the outermost object. */
export interface JsonMember {
  /** Of the quotes around the name. */
  readonly nameStart: number
  readonly nameEnd: number
  /** After the value, and white space. */
  readonly end: number
}

/**
 * Checks that bytes are one JSON value (RFC 8259) that every parser accepts: in UTF-8, without lone surrogates, objects
 * and lists nested at most 100 deep. Returns whether there are line breaks in it.
 *
 * @param members - Those of the outermost object are added to it.
 * @throws {MalformedMessageError} with what was found and where.
 */
export function checkJson(bytes: Uint8Array, start: number, members?: JsonMember[]): boolean {
  const checker = new JsonChecker(bytes, start, members)
  checker.value()
  if (checker.high >= 0x80 && !isUtf8(bytes.subarray(start))) throw new MalformedMessageError('the JSON is not UTF-8')
  return checker.hasBreaks
}

class JsonChecker {
  hasBreaks = false
  /** All bytes of strings, combined. */
  high = 0
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #members: JsonMember[] | undefined
  #at: number

  constructor(bytes: Uint8Array, start: number, members: JsonMember[] | undefined) {
    this.#members = members
    this.#bytes = bytes
    this.#start = start
    this.#at = start
  }

  /** Up to the end of the bytes. A stack instead of recursion: values of one level follow each other. */
  value(): void {
    const bytes = this.#bytes
    /** The closing brackets of the open objects and lists. */
    const open: number[] = []
    let name = noPlace
    for (;;) {
      const first = this.#next()
      if (first === openBrace || first === openBracket) {
        if (open.length === depthLimit)
          throw new MalformedMessageError(`the JSON is nested more than ${depthLimit} deep`)
        this.#at++
        const close = first === openBrace ? closeBrace : closeBracket
        if (this.#next() !== close) {
          open.push(close)
          if (close === closeBrace) name = this.#name(open.length, name)
          continue
        }
        this.#at++
      } else this.#scalar(first)
      for (;;) {
        const next = this.#next()
        const close = open.at(-1)
        if (close === undefined) {
          if (this.#at < bytes.length) throw this.#unexpected('the end')
          return
        }
        if (this.#members && open.length === 1 && close === closeBrace) this.#members.push({ ...name, end: this.#at })
        this.#at++
        if (next === comma) {
          if (close === closeBrace) name = this.#name(open.length, name)
          break
        }
        if (next !== close) {
          this.#at--
          throw this.#unexpected(close === closeBrace ? '"," or "}"' : '"," or "]"')
        }
        open.pop()
      }
    }
  }

  /** The first byte after white space. -1 at the end. */
  #next(): number {
    const bytes = this.#bytes
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at]!
      if (byte === lineFeed || byte === carriageReturn) this.hasBreaks = true
      else if (byte !== space && byte !== tab) return byte
    }
    return -1
  }

  /** With the colon after it. Returns its place if it is one of the outermost object. */
  #name(depth: number, outermost: NamePlace): NamePlace {
    if (this.#next() !== quote) throw this.#unexpected('the name of a member')
    const nameStart = this.#at
    this.#string()
    const nameEnd = this.#at
    if (this.#next() !== colon) throw this.#unexpected('":"')
    this.#at++
    return this.#members && depth === 1 ? { nameStart, nameEnd } : outermost
  }

  #scalar(first: number): void {
    if (first === quote) this.#string()
    else if (first === minus || isDigit(first)) this.#number()
    else if (first === 0x74) this.#word('true')
    else if (first === 0x66) this.#word('false')
    else if (first === 0x6e) this.#word('null')
    else throw this.#unexpected('a value')
  }

  #string(): void {
    const bytes = this.#bytes
    const { length } = bytes
    let high = 0
    let at = this.#at + 1
    for (; at < length; at++) {
      const byte = bytes[at]!
      high |= byte
      if (byte === quote) {
        this.high |= high
        this.#at = at + 1
        return
      }
      if (byte === backslash) at = this.#escape(at)
      else if (byte < 0x20) {
        this.#at = at
        throw this.#unexpected('a string without control characters')
      }
    }
    this.#at = at
    throw this.#unexpected('the end of a string')
  }

  /** Returns the place of its last byte. */
  #escape(at: number): number {
    const kind = this.#bytes[at + 1] ?? 0
    if (kind !== 0x75) {
      this.#at = at
      if (!escaped.includes(kind)) throw this.#unexpected('an escape of JSON')
      return at + 1
    }
    const unit = this.#codeUnit(at)
    if (unit < 0xd800 || unit > 0xdfff) return at + 5
    const isPair = unit < 0xdc00 && this.#bytes[at + 6] === backslash && this.#bytes[at + 7] === 0x75
    const low = isPair ? this.#codeUnit(at + 6) : 0
    if (low >= 0xdc00 && low <= 0xdfff) return at + 11
    throw new MalformedMessageError(`a string of the JSON has a lone surrogate at byte ${at - this.#start}`)
  }

  /** Of `\uXXXX`. */
  #codeUnit(at: number): number {
    let unit = 0
    for (let index = at + 2; index < at + 6; index++) {
      const digit = hexDigit(this.#bytes[index] ?? 0)
      if (digit < 0) {
        this.#at = index
        throw this.#unexpected('a hexadecimal digit')
      }
      unit = unit * 16 + digit
    }
    return unit
  }

  #number(): void {
    if (this.#bytes[this.#at] === minus) this.#at++
    if (this.#bytes[this.#at] === 0x30) this.#at++
    else this.#digits()
    if (this.#bytes[this.#at] === point) {
      this.#at++
      this.#digits()
    }
    const exponent = this.#bytes[this.#at]
    if (exponent !== 0x65 && exponent !== 0x45) return
    const sign = this.#bytes[++this.#at]
    if (sign === minus || sign === plus) this.#at++
    this.#digits()
  }

  #digits(): void {
    if (!isDigit(this.#bytes[this.#at] ?? 0)) throw this.#unexpected('a digit')
    while (isDigit(this.#bytes[this.#at] ?? 0)) this.#at++
  }

  #word(word: string): void {
    for (let index = 0; index < word.length; index++, this.#at++)
      if (this.#bytes[this.#at] !== word.charCodeAt(index)) throw this.#unexpected(word)
  }

  #unexpected(wanted: string): MalformedMessageError {
    const byte = this.#bytes[this.#at]
    const isVisible = byte !== undefined && byte > 0x20 && byte < 0x7f
    const found = byte === undefined ? 'its end' : isVisible ? `"${String.fromCharCode(byte)}"` : `the byte ${byte}`
    return new MalformedMessageError(
      `the value is not JSON: found ${found} at byte ${this.#at - this.#start}, where ${wanted} is expected`,
    )
  }
}

type NamePlace = Pick<JsonMember, 'nameStart' | 'nameEnd'>
const noPlace: NamePlace = { nameStart: 0, nameEnd: 0 }

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** -1: it is not one. */
function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [quote, backslash, comma, colon, minus, plus, point] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e]
const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d]
/** After a backslash, besides `u`. */
const escaped: readonly number[] = [...Buffer.from('"\\/bfnrt')]

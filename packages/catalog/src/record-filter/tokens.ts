import { excerpt, InvalidFilterError } from './invalid-filter.ts'

export interface Token {
  readonly kind: 'name' | 'symbol' | 'literal' | 'end'
  /** As written. */
  readonly text: string
  readonly column: number
  /** Of a literal. */
  readonly value?: string | Uint8Array | bigint | number
}

/** @throws {InvalidFilterError} */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const token = readToken(text, at)
    tokens.push(token)
    at = skipSpace(text, at + token.text.length)
  }
  tokens.push({ kind: 'end', text: '', column: text.length + 1 })
  return tokens
}

const space = /(?:[ \t\r\n\f]|\/\/[^\r\n]*)*/y
const word = /[A-Za-z_][A-Za-z0-9_]*/y
const number = /0x[0-9a-fA-F]+[uU]?|\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+[uU]?/y
const symbol = /&&|\|\||[=!<>]=|[<>!()[\],.-]/y
/** In a raw literal a backslash is a character as any other. */
const rawText = /([rR][bB]?|[bB][rR])(?:"([^"\r\n]*)"|'([^'\r\n]*)')/y
const escapedText = /([bB]?)(?:"((?:[^"\\\r\n]|\\.)*)"|'((?:[^'\\\r\n]|\\.)*)')/y

function skipSpace(text: string, at: number): number {
  space.lastIndex = at
  space.test(text)
  return space.lastIndex
}

function readToken(text: string, at: number): Token {
  const column = at + 1
  const raw = matchAt(rawText, text, at)
  if (raw) return textToken(raw, raw[2] ?? raw[3]!, column)
  const escaped = matchAt(escapedText, text, at)
  if (escaped) return textToken(escaped, replaceEscapes(escaped, column), column)
  const name = matchAt(word, text, at)
  if (name) return { kind: 'name', text: name[0], column }
  const digits = matchAt(number, text, at)
  if (digits) return numberToken(digits[0], text, column)
  const sign = matchAt(symbol, text, at)
  if (sign) return { kind: 'symbol', text: sign[0], column }
  throw new InvalidFilterError(column, explainCharacter(text, at))
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function explainCharacter(text: string, at: number): string {
  const found = String.fromCodePoint(text.codePointAt(at)!)
  return `found ${JSON.stringify(found)}. ${advice.get(found) ?? 'It is not part of the language of filters.'}`
}

const advice: ReadonlyMap<string, string> = new Map([
  ['=', 'To compare, write "==".'],
  ['&', 'For "and", write "&&".'],
  ['|', 'For "or", write "||".'],
  ['"', 'The text that begins here has no closing quote.'],
  ["'", 'The text that begins here has no closing quote.'],
  ['+', 'Filters do not calculate.'],
  ['*', 'Filters do not calculate.'],
  ['/', 'Filters do not calculate.'],
  ['%', 'Filters do not calculate.'],
  ['?', 'Filters have no conditional operator.'],
  ['{', 'Filters do not create messages or maps.'],
])

function numberToken(text: string, whole: string, column: number): Token {
  const after = whole.slice(column - 1 + text.length).match(/^[\w.]+/)
  if (after) throw new InvalidFilterError(column, `found "${excerpt(`${text}${after[0]}`)}", which is not a number.`)
  if (text.startsWith('0x') || !/[.eE]/.test(text))
    return { kind: 'literal', text, column, value: BigInt(text.replace(/u$/i, '')) }
  const value = Number(text)
  if (!Number.isFinite(value))
    throw new InvalidFilterError(column, `the number ${excerpt(text)} is too large for a double.`)
  return { kind: 'literal', text, column, value }
}

function textToken([text, prefix]: RegExpExecArray, content: string, column: number): Token {
  const isBytes = /b/i.test(prefix!)
  if (!isBytes && !content.isWellFormed())
    throw new InvalidFilterError(column, 'the text contains half of a surrogate pair.')
  const value = isBytes ? Buffer.from(content, 'latin1') : content
  return { kind: 'literal', text, column, value }
}

/** Returns the characters of a string, or those of bytes in Latin-1. */
function replaceEscapes([text, prefix, double, single]: RegExpExecArray, column: number): string {
  const content = double ?? single!
  const isBytes = prefix !== ''
  const plain = (part: string) => (isBytes ? Buffer.from(part).toString('latin1') : part)
  const start = column + text.indexOf(content, prefix!.length + 1)
  let replaced = ''
  let at = 0
  for (let backslash = content.indexOf('\\'); backslash !== -1; backslash = content.indexOf('\\', at)) {
    replaced += plain(content.slice(at, backslash))
    const found = matchAt(escapes, content, backslash)
    const character = found && characterOf(found, isBytes)
    if (character === undefined || character === null)
      throw new InvalidFilterError(
        start + backslash,
        `found the escape "${content.slice(backslash, backslash + 2)}". A backslash is written as "\\\\".`,
      )
    replaced += character
    at = escapes.lastIndex
  }
  return replaced + plain(content.slice(at))
}

const escapes = /\\(?:([abfnrtv\\?"'`])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y
const named: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

function characterOf([, letter, hex, short, long, octal]: RegExpExecArray, isBytes: boolean): string | undefined {
  if (letter) return named[letter] ?? letter
  if (hex) return String.fromCharCode(Number.parseInt(hex, 16))
  if (octal) return String.fromCharCode(Number.parseInt(octal, 8))
  const code = Number.parseInt((short ?? long)!, 16)
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isBytes || !isCharacter ? undefined : String.fromCodePoint(code)
}

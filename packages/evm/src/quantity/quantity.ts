import { InvalidAnswerError } from '../errors.ts'

/** Nodes omit quantities, or send `null`, if their chain does not have them. */
export type Hex = string | null | undefined

const maxUint64 = 0xffff_ffff_ffff_ffffn
const longestUint64 = '0xffffffffffffffff'.length

/** At most 2^64 − 1. */
export function toUint64(hex: Hex): bigint {
  if (hex === undefined || hex === null || hex === '0x') return 0n
  if (hex.length > longestUint64 && significantDigits(hex) > longestUint64 - 2) return maxUint64
  return parse(hex)
}

export function toBigInt(hex: Hex): bigint {
  return hex === undefined || hex === null || hex === '0x' ? 0n : parse(hex)
}

/** Big-endian without leading zeros: no bytes for zero. */
export function toBigEndian(hex: Hex): Uint8Array {
  if (hex === undefined || hex === null) return new Uint8Array()
  const digits = significantDigits(hex)
  return decode(hex, digits % 2 === 0 ? hex.slice(hex.length - digits) : `0${hex.slice(hex.length - digits)}`)
}

export function toNumber(hex: Hex): number {
  if (hex === undefined || hex === null || hex === '0x') return 0
  const value = isHex(hex) ? Number(hex) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new InvalidAnswerError('a quantity', `it is ${show(hex)}`)
  return value
}

export function toBytes(hex: Hex): Uint8Array {
  if (hex === undefined || hex === null) return new Uint8Array()
  if (!isHex(hex)) throw new InvalidAnswerError('hex data', `it is ${show(hex)}`)
  return decode(hex, hex.slice(2))
}

export function significantDigits(hex: string): number {
  let start = 2
  while (start < hex.length && hex.charCodeAt(start) === 48) start++
  return hex.length - start
}

function parse(hex: string): bigint {
  try {
    if (isHex(hex)) return BigInt(hex)
  } catch {}
  throw new InvalidAnswerError('a quantity', `it is ${show(hex)}`)
}

function decode(hex: string, digits: string): Uint8Array {
  const bytes = Buffer.from(digits, 'hex')
  // Buffer ignores everything after the first invalid digit.
  if (bytes.length * 2 !== digits.length) throw new InvalidAnswerError('hex data', `it is ${show(hex)}`)
  return bytes
}

/** `Number` and `BigInt` ignore white space. */
function isHex(hex: string): boolean {
  return typeof hex === 'string' && hexShape.test(hex)
}

const hexShape = /^0x[0-9a-fA-F]*$/

function show(hex: unknown): string {
  const text = JSON.stringify(hex)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** 32 bytes in lower case, because hashes are compared as text. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && hashShape.test(value)
}

const hashShape = /^0x[0-9a-f]{64}$/

import { keccak_256 } from '@noble/hashes/sha3.js'
import type { ArgumentValue } from './event-filter.ts'

export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/**
 * The topic of a value of an indexed parameter (Solidity ABI specification, "Events").
 *
 * @param type Of the parameter.
 * @returns `undefined` if the value is not one of this type, or if topics of this type are not supported.
 */
export function toTopic(type: string, value: ArgumentValue): string | undefined {
  const [, kind, size = ''] = /^([a-z]+)(\d*)$/.exec(type) ?? []
  switch (kind) {
    case 'address':
      return typeof value === 'string' && isHexOf(value, 20) ? left(value.slice(2).toLowerCase()) : undefined
    case 'bool':
      return typeof value === 'boolean' ? left(value ? '1' : '0') : undefined
    case 'string':
      return typeof value === 'string' ? toHex(keccak_256(Buffer.from(value))) : undefined
    case 'bytes':
      return typeof value === 'string' ? bytesTopic(value, size) : undefined
    case 'uint':
    case 'int':
      return typeof value === 'boolean' ? undefined : integerTopic(value, Number(size), kind === 'int')
    default:
      return undefined
  }
}

/** What a value of a type must be, for error messages. */
export function valuesOf(type: string): string | undefined {
  const [, kind, size = ''] = /^([a-z]+)(\d*)$/.exec(type) ?? []
  switch (kind) {
    case 'address':
      return '0x and 40 hex digits'
    case 'bool':
      return 'true or false'
    case 'string':
      return 'text'
    case 'bytes':
      return size === '' ? '0x and hex digits' : `0x and ${Number(size) * 2} hex digits`
    case 'uint':
    case 'int':
      return `an integer of type ${type}`
    default:
      return undefined
  }
}

function isHexOf(text: string, bytes: number): boolean {
  return text.length === 2 + bytes * 2 && /^0x[0-9a-fA-F]*$/.test(text)
}

function bytesTopic(value: string, size: string): string | undefined {
  if (size !== '') return isHexOf(value, Number(size)) ? value.toLowerCase().padEnd(wordDigits + 2, '0') : undefined
  return /^0x([0-9a-fA-F]{2})*$/.test(value) ? toHex(keccak_256(Buffer.from(value.slice(2), 'hex'))) : undefined
}

function integerTopic(value: string | number | bigint, bits: number, isSigned: boolean): string | undefined {
  const integer = toInteger(value)
  if (integer === undefined) return undefined
  const [least, limit] = isSigned ? [-(1n << BigInt(bits - 1)), 1n << BigInt(bits - 1)] : [0n, 1n << BigInt(bits)]
  if (integer < least || integer >= limit) return undefined
  return left(BigInt.asUintN(256, integer).toString(16))
}

function toInteger(value: string | number | bigint): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return /^(-?\d+|0x[0-9a-fA-F]+)$/.test(value) ? BigInt(value) : undefined
}

const wordDigits = 64

function left(digits: string): string {
  return `0x${digits.padStart(wordDigits, '0')}`
}

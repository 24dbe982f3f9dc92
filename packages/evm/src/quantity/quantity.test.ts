import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidAnswerError } from '../errors.ts'
import { toBigEndian, toBigInt, toBytes, toNumber, toUint64 } from './quantity.ts'

const max = 2n ** 64n - 1n
const hex = (value: bigint) => `0x${value.toString(16)}`
const bytes = (value: bigint) => {
  const digits = value.toString(16)
  return value === 0n ? Buffer.alloc(0) : Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex')
}

describe('a quantity', () => {
  test('is exact up to 2^64 − 1', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max }), (value) => {
        expect(toUint64(hex(value))).toBe(value)
      }),
    )
    expect(toUint64(hex(max))).toBe(max)
  })

  test('above 2^64 − 1 is 2^64 − 1, and exact in big-endian bytes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: max + 1n, max: 2n ** 256n - 1n }), (value) => {
        expect(toUint64(hex(value))).toBe(max)
        expect(toBigInt(hex(value))).toBe(value)
        expect(toBigEndian(hex(value))).toEqual(bytes(value))
      }),
    )
  })

  test('may have leading zeros', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), (value) => {
        const padded = `0x${value.toString(16).padStart(64, '0')}`
        expect(toUint64(padded)).toBe(toUint64(hex(value)))
        expect(toBigEndian(padded)).toEqual(bytes(value))
      }),
    )
  })

  test('that is absent is 0', () => {
    for (const absent of [undefined, null]) {
      expect(toUint64(absent)).toBe(0n)
      expect(toNumber(absent)).toBe(0)
      expect(toBytes(absent)).toHaveLength(0)
    }
  })

  test.each(['', '5', '0xzz', '0x-1', '0x5 ', 'latest'])('%j is refused', (text) => {
    expect(() => toUint64(text)).toThrow(InvalidAnswerError)
    expect(() => toBigInt(text)).toThrow(InvalidAnswerError)
    expect(() => toNumber(text)).toThrow(InvalidAnswerError)
  })

  test('as a number is exact or refused', () => {
    expect(toNumber('0x1fffffffffffff')).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => toNumber('0x20000000000000')).toThrow('"0x20000000000000"')
  })
})

describe('hex data', () => {
  test('is converted to its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
        expect(Buffer.from(toBytes(`0x${Buffer.from(data).toString('hex')}`))).toEqual(Buffer.from(data))
      }),
    )
  })

  test.each(['abcd', '0xabc', '0xabxd', '0x0g'])('%j is refused', (text) => {
    expect(() => toBytes(text)).toThrow(InvalidAnswerError)
  })
})

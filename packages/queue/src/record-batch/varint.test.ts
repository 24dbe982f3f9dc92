import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VarintReader, varintSize, varlongSize, writeVarint, writeVarlong } from './varint.ts'

describe('varint', () => {
  it.each([
    [0, [0]],
    [-1, [1]],
    [1, [2]],
    [-64, [0x7f]],
    [64, [0x80, 0x01]],
    [0x7fff_ffff, [0xfe, 0xff, 0xff, 0xff, 0x0f]],
    [-0x8000_0000, [0xff, 0xff, 0xff, 0xff, 0x0f]],
  ])('writes %i as zigzag bytes', (value, expected) => {
    const bytes = new Uint8Array(8)
    expect([...bytes.subarray(0, writeVarint(bytes, 0, value))]).toEqual(expected)
  })

  it('restores every 32-bit number from varintSize bytes', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        const bytes = new Uint8Array(8)
        expect(writeVarint(bytes, 0, value)).toBe(varintSize(value))
        expect(new VarintReader(bytes).readVarint()).toBe(value)
      }),
    )
  })

  it('restores every safe integer from varlongSize bytes', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const bytes = new Uint8Array(12)
        const end = writeVarlong(bytes, 0, value)
        const reader = new VarintReader(bytes)
        expect(end).toBe(varlongSize(value))
        expect(reader.readVarlong()).toBe(value)
        expect(reader.at).toBe(end)
      }),
    )
  })

  it('refuses a number that is incomplete or too long', () => {
    const wide = new Uint8Array(12).fill(0xff)
    expect(() => new VarintReader(wide.subarray(0, 3)).readVarint()).toThrow(RangeError)
    expect(() => new VarintReader(wide.subarray(0, 3)).readVarlong()).toThrow(RangeError)
    expect(() => new VarintReader(wide).readVarint()).toThrow(RangeError)
    expect(() => new VarintReader(wide).readVarlong()).toThrow(RangeError)
  })
})

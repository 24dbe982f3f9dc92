import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyKey, createKeyBits } from './key-bits.ts'

describe('key bits', () => {
  it('hold those of every key that was added, and fit a signed integer of 64 bits', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array(), { minLength: 1 }), (keys) => {
        const all = bitsOf(keys)
        expect(BigInt.asIntN(64, all)).toBe(all)
        for (const key of keys) {
          expect(all & bitsOf([key])).toBe(bitsOf([key]))
          expect(anyKey & bitsOf([key])).toBe(bitsOf([key]))
        }
      }),
    )
  })

  it('seldom hold those of a key that was not added', () => {
    const batch = bitsOf([Buffer.from('headrace.evm.1_0_0/main'), Buffer.from('headrace.evm.1_0_0/main/17')])
    const others = Array.from({ length: 1_000 }, (_, index) =>
      bitsOf([Buffer.from(`headrace.evm.1_0_0/other/${index}`)]),
    )
    expect(others.filter((bits) => (batch & bits) === bits).length).toBeLessThan(20)
  })

  it('are none after being cleared', () => {
    const bits = createKeyBits()
    bits.add(Buffer.from('key'))
    bits.clear()
    expect(bits.value()).toBe(0n)
  })
})

function bitsOf(keys: readonly Uint8Array[]): bigint {
  const bits = createKeyBits()
  for (const key of keys) bits.add(key)
  return bits.value()
}

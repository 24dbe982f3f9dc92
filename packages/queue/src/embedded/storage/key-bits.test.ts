import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyKey, createKeyMarker, type KeyBits, mayHold } from './key-bits.ts'

describe('key bits', () => {
  it('match every key that was added', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array(), { minLength: 1 }), (keys) => {
        const all = bitsOf(keys)
        for (const key of keys) {
          expect(mayHold(all, bitsOf([key]))).toBe(true)
          expect(mayHold(anyKey, bitsOf([key]))).toBe(true)
        }
      }),
    )
  })

  it('seldom match a key that was not added', () => {
    const batch = bitsOf([Buffer.from('headrace.evm.1_0_0/main'), Buffer.from('headrace.evm.1_0_0/main/17')])
    const others = Array.from({ length: 1_000 }, (_, index) =>
      bitsOf([Buffer.from(`headrace.evm.1_0_0/other/${index}`)]),
    )
    expect(others.filter((bits) => mayHold(batch, bits)).length).toBeLessThan(20)
  })

  it('are 0 after clear()', () => {
    const marker = createKeyMarker()
    marker.add(Buffer.from('key'))
    marker.clear()
    expect(marker).toMatchObject({ low: 0, high: 0 })
  })
})

function bitsOf(keys: readonly Uint8Array[]): KeyBits {
  const marker = createKeyMarker()
  for (const key of keys) marker.add(key)
  return marker
}

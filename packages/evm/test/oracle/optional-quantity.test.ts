import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toBigEndian } from '../../src/quantity/quantity.ts'
import { toExact, toOptionalUint64 } from './optional-quantity.ts'

const max = 2n ** 64n - 1n
const forms = (value: bigint) => [`0x${value.toString(16)}`, `0x${value.toString(16).padStart(64, '0')}`]

test('a quantity has an exact field above 2^64 − 1 only, whatever its leading zeros', () => {
  const anyQuantity = fc.oneof(fc.bigInt({ min: 0n, max }), fc.bigInt({ min: max + 1n, max: 2n ** 256n - 1n }))
  fc.assert(
    fc.property(anyQuantity, (value) => {
      for (const form of forms(value)) expect(toExact(form)).toEqual(value > max ? toBigEndian(form) : undefined)
    }),
  )
  expect(toExact(forms(max)[0])).toBeUndefined()
})

test('a quantity that is absent stays absent', () => {
  for (const absent of [undefined, null]) {
    expect(toOptionalUint64(absent)).toBeUndefined()
    expect(toExact(absent)).toBeUndefined()
  }
  expect(toOptionalUint64('0x0')).toBe(0n)
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeAt, encodeReverts, readRecordHeaders } from './record-header.ts'

const count = fc.oneof(
  fc.nat(300),
  fc.maxSafeNat(),
  fc.constantFrom(127, 128, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
)

describe('record headers', () => {
  it('are decoded to what was encoded, for any numbers', () => {
    fc.assert(
      fc.property(count, count, count, (unit, seq, reverts) => {
        const headers = [
          { key: 'at', value: encodeAt(unit, seq) },
          { key: 'op', value: Buffer.from('revert') },
          { key: 'reverts', value: encodeReverts(reverts) },
          { key: 'error', value: Buffer.from('too large') },
        ]
        expect(readRecordHeaders(headers)).toEqual({ unit, seq, op: 'revert', reverts, error: 'too large' })
      }),
    )
  })

  it('have `at` as two unsigned LEB128 varints', () => {
    expect([...encodeAt(1, 300)]).toEqual([1, 0xac, 0x02])
  })

  it('are read from a record without headers as an append of a foreign producer', () => {
    expect(readRecordHeaders([])).toEqual({ op: 'append' })
  })

  it('are absent if they cannot be read', () => {
    fc.assert(
      fc.property(fc.constantFrom('at', 'reverts', 'op', 'other'), fc.uint8Array({ maxLength: 24 }), (key, value) => {
        const { unit, seq, reverts, op } = readRecordHeaders([{ key, value }])
        expect(seq === undefined).toBe(unit === undefined)
        for (const number of [unit, seq, reverts])
          if (number !== undefined) expect(number).toSatisfy(Number.isSafeInteger)
        expect(['append', 'revert']).toContain(op)
      }),
    )
    expect(readRecordHeaders([{ key: 'at', value: Buffer.from([1, 2, 3]) }])).toEqual({ op: 'append' })
    expect(readRecordHeaders([{ key: 'at', value: Buffer.from([1, 0x80]) }])).toEqual({ op: 'append' })
  })
})

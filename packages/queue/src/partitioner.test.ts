import { describe, expect, it } from 'vitest'
import { murmur2, partitionForKey } from './partitioner.ts'

describe('murmur2', () => {
  // From Kafka's UtilsTest.testMurmur2.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('hashes %s as Kafka does', (text, expected) => {
    expect(murmur2(Buffer.from(text))).toBe(expected)
  })
})

describe('partitionForKey', () => {
  it('clears the sign of the hash before the division', () => {
    expect(partitionForKey(Buffer.from('21'), 32)).toBe((-973932308 & 0x7fffffff) % 32)
    expect(partitionForKey(new Uint8Array(0), 7)).toBe((275646681 & 0x7fffffff) % 7)
  })
})

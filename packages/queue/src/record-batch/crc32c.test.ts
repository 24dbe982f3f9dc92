import { describe, expect, it } from 'vitest'
import { crc32c } from './crc32c.ts'

describe('crc32c', () => {
  // RFC 3720, B.4.
  it.each([
    ['32 zero bytes', new Uint8Array(32), 0x8a9136aa],
    ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['32 rising bytes', Uint8Array.from({ length: 32 }, (_, index) => index), 0x46dd794e],
    ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
    ['no bytes', new Uint8Array(0), 0],
  ])('gives the published checksum of %s', (_, bytes, expected) => {
    expect(crc32c(bytes)).toBe(expected)
  })

  it('covers exactly the bytes between start and end, wherever they lie', () => {
    const digits = Buffer.from('123456789')
    for (let start = 0; start < 20; start++) {
      const padded = new Uint8Array(64).fill(0xa5)
      padded.set(digits, start)
      expect(crc32c(padded, start, start + digits.length)).toBe(0xe3069283)
    }
  })
})

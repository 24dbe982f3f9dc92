import { gzipSync, zstdCompressSync } from 'node:zlib'
import { lz4Compress, snappyCompress } from '@platformatic/wasm-utils'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decompress } from './decompression.ts'

const limit = 1024 * 1024

/** From noise, which does not compress, to long and short repetitions. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 2_000 }))
        .map(([bytes, times]) => {
          return new Uint8Array(Buffer.alloc(bytes.length * times, bytes))
        }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts))

describe.each([
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
  ['lz4', lz4Compress],
  ['snappy', snappyCompress],
] as const)('%s', (codec, compress) => {
  it('gives back any bytes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(Buffer.from(decompress(codec, compress(bytes), limit)).equals(bytes)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('refuses what takes a byte more than allowed', () => {
    const bytes = Buffer.alloc(limit)
    expect(decompress(codec, compress(bytes), limit)).toHaveLength(limit)
    expect(() => decompress(codec, compress(Buffer.alloc(limit + 1)), limit)).toThrow(RangeError)
  })

  it('refuses a small batch that would fill the memory, without filling it', () => {
    const bomb = compress(Buffer.alloc(64 * limit))
    const before = process.memoryUsage().arrayBuffers
    for (let round = 0; round < 20; round++) expect(() => decompress(codec, bomb, limit)).toThrow(RangeError)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * limit)
  })

  it('throws or gives bytes within the limit, whatever it is given', () => {
    fc.assert(
      fc.property(
        anyBytes,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (bytes, changes) => {
          const damaged = Uint8Array.from(compress(bytes))
          for (const [at, value] of changes) damaged[at % damaged.length] = value
          expect(outputBytes(damaged)).toBeLessThanOrEqual(limit)
        },
      ),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(outputBytes(bytes)).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 500 },
    )
  })

  it('refuses bytes that are cut off, wherever the cut is', () => {
    const whole = compress(Buffer.from('the same words, the same words, and others'.repeat(9)))
    for (let end = 0; end < whole.length; end++) {
      expect(() => decompress(codec, whole.subarray(0, end), limit)).toThrow()
    }
  })

  function outputBytes(bytes: Uint8Array): number {
    try {
      return decompress(codec, bytes, limit).length
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
      return 0
    }
  }
})

import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { compressFrameSync } from 'lz4-napi'
import { compressSync as snappyCompressSync } from 'snappy'
import { describe, expect, it } from 'vitest'
import { decompress } from './compression.ts'

const limit = 1024 * 1024

/** Bytes of all kinds: noise, which does not compress, and long and short repetitions. */
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
  ['gzip', 'gzip', gzipSync],
  ['zstd', 'zstd', zstdCompressSync],
  ['lz4', 'lz4', compressFrameSync],
  ['lz4 with checksums', 'lz4', lz4WithChecksums],
  ['snappy', 'snappy', snappyCompressSync],
] as const)('%s', (_, codec, compress) => {
  it('restores any bytes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(Buffer.from(decompress(codec, compress(bytes), limit)).equals(bytes)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('refuses output that exceeds the limit by one byte', () => {
    const bytes = Buffer.alloc(limit)
    expect(decompress(codec, compress(bytes), limit)).toHaveLength(limit)
    expect(() => decompress(codec, compress(Buffer.alloc(limit + 1)), limit)).toThrow(RangeError)
  })

  it('refuses a small input with huge output without allocating it', () => {
    const bomb = compress(Buffer.alloc(64 * limit))
    const before = process.memoryUsage().arrayBuffers
    for (let round = 0; round < 20; round++) expect(() => decompress(codec, bomb, limit)).toThrow(RangeError)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * limit)
  })

  it('throws or stays within the limit for any input', () => {
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

  it('refuses bytes that are truncated anywhere', () => {
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

describe('an LZ4 block', () => {
  it.each([
    ['a literal length', [0xf0, 0xff]],
    ['a literal run', [0x50, 1, 2]],
    ['a distance', [0x10, 1, 1]],
    ['a repetition length', [0x1f, 1, 1, 0, 0xff]],
  ])('is refused if it ends within %s', (_, block) => {
    const frame = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0, block.length, 0, 0, 0, ...block, 0, 0, 0, 0])
    expect(() => decompress('lz4', frame, limit)).toThrow(RangeError)
    // The same block at the end of the input.
    expect(() => decompress('lz4', frame.subarray(0, -4), limit)).toThrow(RangeError)
  })
})

function lz4WithChecksums(bytes: Buffer): Buffer {
  return compressFrameSync(bytes, { blockChecksums: true, contentChecksum: true })
}

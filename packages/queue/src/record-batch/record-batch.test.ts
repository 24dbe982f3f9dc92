import { lz4Compress, snappyCompress } from '@platformatic/wasm-utils'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DamagedBatchError, UserError } from '../errors.ts'
import { setBaseOffset } from './batch-header.ts'
import type { Compression } from './compression.ts'
import { crc32c } from './crc32c.ts'
import { decodeBatches } from './decode.ts'
import { createBatchEncoder, encodedRecordSize } from './encode.ts'
import type { BatchedRecord } from './encode-record.ts'
import { batchLayout, uncountedBytes } from './layout.ts'
import type { StoredBatch } from './stored-batch.ts'

const place = { topic: 'blocks', partition: 3 }

const bytes = fc.uint8Array({ maxLength: 300 })
const record: fc.Arbitrary<BatchedRecord> = fc.record(
  {
    key: fc.option(bytes),
    value: fc.option(bytes),
    time: fc.maxSafeNat(),
    headers: fc.array(fc.record({ key: fc.string({ unit: 'grapheme', maxLength: 40 }), value: bytes }), {
      maxLength: 4,
    }),
  },
  { requiredKeys: ['key', 'value', 'time'] },
)

describe('a record batch', () => {
  it.each<Compression>(['none', 'gzip', 'zstd'])('gives back what was put in, compressed with %s', (compression) => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), (records) => {
        const batch = only(decodeBatches(encode(records, compression), place))
        expect(batch.baseOffset).toBe(40n)
        expect(batch.nextOffset).toBe(40n + BigInt(records.length))
        expect(batch.count).toBe(records.length)
        expect(batch.maxTime).toBe(Math.max(...records.map(({ time }) => time)))
        expect(plain([...batch.records()])).toEqual(
          plain(records.map((one, index) => ({ ...place, offset: 40n + BigInt(index), ...withHeaders(one) }))),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('is never larger than the sizes announced for its records', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), (records) => {
        const announced = records.reduce<number>((sum, one) => sum + encodedRecordSize(one), batchLayout.records)
        expect(encode(records, 'none').length).toBeLessThanOrEqual(announced)
      }),
    )
  })

  it('takes a record only where it stays within the size asked for, to the byte', () => {
    fc.assert(
      fc.property(record, record, (first, second) => {
        const size = encode([first, second], 'none').length
        const encoder = createBatchEncoder(0)
        encoder.append(first)
        const before = encoder.byteLength
        expect(encoder.tryAppend(second, size - 1)).toBe(false)
        expect(encoder).toMatchObject({ count: 1, byteLength: before, maxTime: first.time })
        expect(encoder.tryAppend(second, size)).toBe(true)
        expect(encoder).toMatchObject({ count: 2, byteLength: size })
      }),
    )
  })

  it('carries the header of its producer, and another one when finished again', () => {
    const encoder = createBatchEncoder()
    encoder.append(recordOf('a'))
    encoder.finish({ producerId: 1n })
    const finished = encoder.finish({ producerId: 7n, producerEpoch: 2, baseSequence: 9, transactional: true })
    const batch = only(decodeBatches(finished, place))
    expect(batch).toMatchObject({ producerId: 7n, producerEpoch: 2, baseSequence: 9, transactional: true })
    expect(batch.control).toBe(false)
    expect(batch.controlType()).toBeUndefined()
  })

  it('reads again from any offset within it', () => {
    const batch = only(decodeBatches(encode(['a', 'b', 'c'].map(recordOf), 'zstd'), place))
    const rest = batch.from(41n)
    expect(rest.baseOffset).toBe(41n)
    expect(rest.nextOffset).toBe(43n)
    expect(texts(rest)).toEqual(['b', 'c'])
    expect(texts(rest)).toEqual(['b', 'c'])
    expect(texts(batch.from(0n))).toEqual(['a', 'b', 'c'])
  })

  it('may be moved to another offset without a new checksum', () => {
    const moved = encode([recordOf('a')], 'none')
    setBaseOffset(moved, 2n ** 60n)
    expect([...only(decodeBatches(moved, place)).records()][0]?.offset).toBe(2n ** 60n)
  })

  it('begins anew in the same memory after a reset', () => {
    const encoder = createBatchEncoder(16)
    encoder.append(recordOf('first'))
    encoder.reset()
    expect(encoder.count).toBe(0)
    encoder.append(recordOf('second'))
    expect(texts(only(decodeBatches(encoder.finish(), place)))).toEqual(['second'])
  })

  it.each([
    ['a fraction as time', { ...recordOf('a'), time: 1.5 }],
    ['a negative time', { ...recordOf('a'), time: -1 }],
    ['text as value', { ...recordOf('a'), value: 'text' as unknown as Uint8Array }],
    ['no key', { value: null, time: 1 } as unknown as BatchedRecord],
  ])('refuses %s and stays as it was', (_, wrong) => {
    const encoder = createBatchEncoder()
    encoder.append(recordOf('a'))
    const before = encoder.byteLength
    expect(() => encoder.append(wrong)).toThrow(UserError)
    expect(() => encodedRecordSize(wrong)).toThrow(UserError)
    expect(encoder.byteLength).toBe(before)
  })
})

describe('batches side by side', () => {
  const stream = Buffer.concat([encode([recordOf('a')], 'none'), encode([recordOf('b'), recordOf('c')], 'gzip')])

  it('are all found', () => {
    expect(decodeBatches(stream, place).map(texts)).toEqual([['a'], ['b', 'c']])
  })

  it('are read up to the one that is cut off, wherever the cut is', () => {
    const first = encode([recordOf('a')], 'none').length
    for (let end = 0; end < stream.length; end++) {
      expect(decodeBatches(stream.subarray(0, end), place)).toHaveLength(end < first ? 0 : 1)
    }
  })

  it('are refused with their place where any byte that the checksum covers has changed', () => {
    for (let at = batchLayout.attributes; at < encode([recordOf('a')], 'none').length; at++) {
      const damaged = Uint8Array.from(stream)
      damaged[at]! ^= 0x10
      expect(() => decodeBatches(damaged, place)).toThrow(DamagedBatchError)
      expect(() => decodeBatches(damaged, place)).toThrow(/offset 40 of "blocks" partition 3/)
    }
  })

  it('are refused where their length or their format version is impossible', () => {
    for (const [at, value] of [
      [batchLayout.length, 0x80],
      [batchLayout.magic, 1],
    ] as const) {
      const damaged = Uint8Array.from(stream)
      damaged[at] = value
      expect(() => decodeBatches(damaged, place)).toThrow(DamagedBatchError)
    }
  })
})

describe('a batch that others wrote', () => {
  const records = ['a', 'b'].map(recordOf)

  it('is read from an lz4 frame', () => {
    expect(texts(recompressed(3, (plain) => lz4Compress(plain)))).toEqual(['a', 'b'])
  })

  it('is read from one block of snappy', () => {
    expect(texts(recompressed(2, (plain) => snappyCompress(plain)))).toEqual(['a', 'b'])
  })

  it('is read from the blocks of snappy that the Java client writes', () => {
    const batch = recompressed(2, (plain) => {
      const blocks = [plain.subarray(0, 5), plain.subarray(5)].map((block) => snappyCompress(block))
      const framed = blocks.flatMap((block) => [uint32(block.length), block])
      return Buffer.concat([Buffer.from('\x82SNAPPY\0', 'latin1'), uint32(1), uint32(1), ...framed])
    })
    expect(texts(batch)).toEqual(['a', 'b'])
  })

  it.each([1, 2, 3, 4, 5])('is refused when its records are not what codec %i makes', (codec) => {
    const batch = recompressed(codec, () => Buffer.from('neither of them'))
    expect(() => [...batch.records()]).toThrow(DamagedBatchError)
  })

  it('is refused when a length in it is wrong although its checksum is right', () => {
    const batch = recompressed(0, (plain) => {
      plain[4] = 60
      return plain
    })
    expect(() => [...batch.records()]).toThrow(DamagedBatchError)
  })

  it('has the time of its appending on all records where the topic says so', () => {
    const batch = recompressed(0x08, (plain) => plain)
    expect([...batch.records()].map(({ time }) => time)).toEqual([1_700_000_000_000, 1_700_000_000_000])
  })

  it.each([
    ['abort', 0],
    ['commit', 1],
  ] as const)('is known as the marker of a transaction: %s', (type, id) => {
    const key = Buffer.from([0, 0, 0, id])
    const encoded = encode([{ key, value: Buffer.alloc(6), time: 1 }], 'none')
    const marker = reattributed(encoded, 0x30)
    expect(marker.control).toBe(true)
    expect(marker.controlType()).toBe(type)
  })

  function recompressed(attributes: number, compress: (plain: Buffer) => Uint8Array): StoredBatch {
    const encoded = Buffer.from(encode(records, 'none'))
    const header = encoded.subarray(0, batchLayout.records)
    return reattributed(Buffer.concat([header, compress(encoded.subarray(batchLayout.records))]), attributes)
  }

  function reattributed(encoded: Uint8Array, attributes: number): StoredBatch {
    const view = new DataView(encoded.buffer, encoded.byteOffset)
    view.setInt32(batchLayout.length, encoded.length - uncountedBytes)
    view.setInt16(batchLayout.attributes, attributes)
    view.setUint32(batchLayout.checksum, crc32c(encoded, batchLayout.attributes))
    return only(decodeBatches(encoded, place))
  }
})

function encode(records: readonly BatchedRecord[], compression: Compression): Uint8Array {
  const encoder = createBatchEncoder(0)
  for (const one of records) encoder.append(one)
  return encoder.finish({ baseOffset: 40n, compression })
}

function recordOf(text: string): BatchedRecord {
  return { key: Buffer.from(text), value: null, time: 1_700_000_000_000 }
}

function withHeaders(one: BatchedRecord): BatchedRecord {
  return { headers: [], ...one }
}

/** Plain arrays for bytes, so that views and copies compare equal. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one) => {
      if (typeof one === 'bigint') return `${one}n`
      return one instanceof Uint8Array ? Array.from(one) : one
    }),
  )
}

function texts(batch: StoredBatch): string[] {
  return Array.from(batch.records(), ({ key }) => Buffer.from(key ?? []).toString())
}

function only(batches: StoredBatch[]): StoredBatch {
  expect(batches).toHaveLength(1)
  return batches[0]!
}

function uint32(value: number): Buffer {
  const made = Buffer.alloc(4)
  made.writeUInt32BE(value)
  return made
}

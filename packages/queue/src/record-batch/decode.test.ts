import { crc32 } from 'node:zlib'
import { compressFrameSync } from 'lz4-napi'
import { compressSync as snappyCompress } from 'snappy'
import { describe, expect, it } from 'vitest'
import { encodeBatch } from '../../test/arbitrary-records.ts'
import { type CraftedBatch, craftBatch } from '../../test/crafted-batch.ts'
import { DamagedBatchError } from '../errors.ts'
import { decodeBatches } from './decode.ts'
import type { BatchedRecord } from './encode-record.ts'
import { batchLayout } from './layout.ts'
import type { StoredBatch } from './stored-batch.ts'

const place = { topic: 'blocks', partition: 3 }

describe('consecutive batches', () => {
  const stream = Buffer.concat([
    encodeBatch([recordOf('a')]),
    encodeBatch([recordOf('b'), recordOf('c')], { compression: 'gzip' }),
  ])

  it('are all found', () => {
    expect(decodeBatches(stream, place).map(keys)).toEqual([['a'], ['b', 'c']])
  })

  it('are refused with their offset if any byte under the checksum has changed', () => {
    for (let at = batchLayout.attributes; at < encodeBatch([recordOf('a')]).length; at++) {
      const damaged = Uint8Array.from(stream)
      damaged[at]! ^= 0x10
      expect(() => decodeBatches(damaged, place)).toThrow(DamagedBatchError)
      expect(() => decodeBatches(damaged, place)).toThrow(/offset 40 of "blocks" partition 3/)
    }
  })

  it('are refused if their length or format version is impossible', () => {
    for (const [at, value] of [
      [batchLayout.length, 0x80],
      [batchLayout.magic, 1],
      [batchLayout.magic, 3],
    ] as const) {
      const damaged = Uint8Array.from(stream)
      damaged[at] = value
      expect(() => decodeBatches(damaged, place)).toThrow(DamagedBatchError)
    }
  })

  it('can be read again from any offset within them', () => {
    const batch = only(encodeBatch(['a', 'b', 'c'].map(recordOf), { compression: 'zstd' }))
    const tail = batch.from(41n)
    expect(tail.baseOffset).toBe(41n)
    expect(tail.nextOffset).toBe(43n)
    expect(keys(tail)).toEqual(['b', 'c'])
    expect(keys(tail)).toEqual(['b', 'c'])
    expect(keys(batch.from(0n))).toEqual(['a', 'b', 'c'])
    expect(keys(batch.from(43n))).toEqual([])
    expect(Array.from(tail.records(42n), ({ offset }) => offset)).toEqual([42n])
    expect(Array.from(tail.records(40n), ({ offset }) => offset)).toEqual([41n, 42n])
  })

  it('can be read from any record of a large batch, whatever was read of it before', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `${index}`)
    const batch = only(encodeBatch(names.map(recordOf)))
    for (const from of [700, 0, 256, 999, 255, 1000, 512])
      expect(keys(batch.from(40n + BigInt(from)))).toEqual(names.slice(from))
  })
})

describe('a batch of another client', () => {
  const records = recordBytes(['a', 'b'])

  it('is read from an lz4 frame', () => {
    expect(keys(crafted({ attributes: 3, count: 2, records: compressFrameSync(records) }))).toEqual(['a', 'b'])
  })

  it('is read from one block of snappy', () => {
    expect(keys(crafted({ attributes: 2, count: 2, records: snappyCompress(records) }))).toEqual(['a', 'b'])
  })

  it('is read from the snappy blocks of the Java client', () => {
    const blocks = [records.subarray(0, 5), records.subarray(5)].map((block) => snappyCompress(block))
    const framed = blocks.flatMap((block) => [uint32(block.length), block])
    const bytes = Buffer.concat([Buffer.from('\x82SNAPPY\0', 'latin1'), uint32(1), uint32(1), ...framed])
    expect(keys(crafted({ attributes: 2, count: 2, records: bytes }))).toEqual(['a', 'b'])
  })

  it.each([1, 2, 3, 4, 5])('is refused if its records are not valid for codec %i', (attributes) => {
    const batch = crafted({ attributes, records: Buffer.from('neither of them') })
    expect(() => [...batch.records()]).toThrow(DamagedBatchError)
  })

  it.each([
    ['a length within it is wrong', { count: 2, records: changed(records, 4, 60) }],
    ['it contains fewer records than its count', { count: 3, records }],
    ['it contains more records than its count', { count: 1, lastOffsetDelta: 1, records }],
    [
      'the offsets of its records do not increase',
      { count: 2, records: Buffer.concat([recordBytes(['a']), recordBytes(['b'])]) },
    ],
    [
      'a record is after its last offset',
      { count: 2, lastOffsetDelta: 1, records: changed(records, recordLength + 3, 2 * 2) },
    ],
  ])('is refused if %s, even with a valid checksum', (_, batch) => {
    expect(() => [...crafted(batch).records()]).toThrow(DamagedBatchError)
  })

  it.each([
    ['a negative number of records', { count: -1, lastOffsetDelta: 0 }],
    ['a last offset before its first, from which a reader would move backwards', { count: 0, lastOffsetDelta: -1 }],
    ['more records than offsets', { count: 3, lastOffsetDelta: 1 }],
  ])('is refused if it has %s', (_, batch) => {
    expect(() => crafted(batch)).toThrow(DamagedBatchError)
  })

  it('has the append time on all records with message.timestamp.type=LogAppendTime', () => {
    const batch = crafted({ attributes: 0x08, count: 2, baseTime: 5n, maxTime: 9n, records })
    expect(Array.from(batch.records(), ({ time }) => time)).toEqual([9, 9])
  })

  it('has times relative to the delete horizon if compaction has set one', () => {
    // The time of the record is 950 before the horizon: a zigzag varint of two bytes.
    const record = Buffer.from([2 * 8, 0, 0xeb, 0x0e, 0, 2 * 1, 0x61, 1, 0])
    const batch = crafted({ attributes: 0x40, baseTime: 1_000n, maxTime: 50n, records: record })
    expect(Array.from(batch.records(), ({ time }) => time)).toEqual([50])
    expect(batch.maxTime).toBe(50)
  })

  it('keeps its offsets if compaction has removed records, even all of them', () => {
    const some = crafted({
      baseOffset: 7n,
      count: 1,
      lastOffsetDelta: 4,
      records: recordBytes(['a', 'b']).subarray(recordLength),
    })
    expect(Array.from(some.records(), ({ offset }) => offset)).toEqual([8n])
    expect(some.nextOffset).toBe(12n)
    const none = crafted({ baseOffset: 7n, attributes: 4, count: 0, lastOffsetDelta: 4 })
    expect([...none.records()]).toEqual([])
    expect(none).toMatchObject({ baseOffset: 7n, nextOffset: 12n, count: 0 })
  })

  it.each([
    ['abort', 0],
    ['commit', 1],
    [undefined, 2],
  ] as const)('is recognized as the marker of a transaction: %s', (type, id) => {
    const marker = encodeBatch([{ key: Buffer.from([0, 0, 0, id]), value: Buffer.alloc(6), time: 1 }])
    const batch = crafted({ attributes: 0x30, records: marker.subarray(batchLayout.records) })
    expect(batch.control).toBe(true)
    expect(batch.controlType()).toBe(type)
  })

  it.each([0, 1])('is refused as an old format if it is a message v%i', (version) => {
    const message = Buffer.concat([
      Buffer.from([version, 0]),
      Buffer.alloc(version * 8),
      uint32(0xffff_ffff),
      uint32(0),
    ])
    const bytes = Buffer.concat([Buffer.alloc(8), uint32(message.length + 4), uint32(crc32(message)), message])
    expect(() => decodeBatches(bytes, place)).toThrow(
      expect.objectContaining({ code: 'unsupported_batch', message: expect.stringContaining(`format v${version}`) }),
    )
    bytes[bytes.length - 1]! ^= 1
    expect(() => decodeBatches(bytes, place)).toThrow(DamagedBatchError)
  })
})

function crafted(batch: CraftedBatch): StoredBatch {
  return only(craftBatch(batch))
}

/** Records with a name of one byte as their key. */
function recordBytes(names: readonly string[]): Buffer {
  return Buffer.from(encodeBatch(names.map(recordOf)).subarray(batchLayout.records))
}

/** Bytes of such a record. */
const recordLength = 8

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] = value
  return copy
}

function recordOf(text: string): BatchedRecord {
  return { key: Buffer.from(text), value: null, time: 1_700_000_000_000 }
}

function keys(batch: StoredBatch): string[] {
  return Array.from(batch.records(), ({ key }) => Buffer.from(key ?? []).toString())
}

function only(bytes: Uint8Array): StoredBatch {
  const batches = decodeBatches(bytes, place)
  expect(batches).toHaveLength(1)
  return batches[0]!
}

function uint32(value: number): Buffer {
  const made = Buffer.alloc(4)
  made.writeUInt32BE(value)
  return made
}

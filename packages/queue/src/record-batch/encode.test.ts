import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyRecord, anyRecords, encodeBatch, plain } from '../../test/arbitrary-records.ts'
import { UserError } from '../errors.ts'
import { compressions } from './compression.ts'
import { decodeBatches } from './decode.ts'
import { BatchEncoder, encodeCompacted, encodedRecordSize, setBaseOffset } from './encode.ts'
import type { BatchedRecord } from './encode-record.ts'
import { batchLayout } from './layout.ts'
import type { QueueRecord } from './record-batch.ts'
import type { StoredBatch } from './stored-batch.ts'

const place = { topic: 'blocks', partition: 3 }

describe('a batch encoder', () => {
  it('is never larger than encodedRecordSize of its records, and at most 13 bytes per record smaller', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const announced = records.reduce<number>((sum, one) => sum + encodedRecordSize(one), batchLayout.records)
        const { length } = encodeBatch(records)
        expect(length).toBeLessThanOrEqual(announced)
        expect(length).toBeGreaterThanOrEqual(announced - 13 * records.length)
      }),
    )
  })

  it('accepts a record exactly if the batch stays within the limit', () => {
    fc.assert(
      fc.property(anyRecord, anyRecord, (first, second) => {
        const size = encodeBatch([first, second]).length
        const encoder = new BatchEncoder(0)
        encoder.append(first)
        const before = encoder.byteLength
        expect(encoder.tryAppend(second, size - 1)).toBe(false)
        expect(encoder).toMatchObject({ count: 1, byteLength: before, maxTime: first.time })
        expect(encoder.tryAppend(second, size)).toBe(true)
        expect(encoder).toMatchObject({ count: 2, byteLength: size })
      }),
    )
  })

  it.each([
    ['a time with a fraction', { ...recordOf('a'), time: 1.5 }],
    ['a negative time', { ...recordOf('a'), time: -1 }],
    ['a string as value', { ...recordOf('a'), value: 'text' as unknown as Uint8Array }],
    ['no key', { value: null, time: 1 } as unknown as BatchedRecord],
  ])('refuses %s and remains unchanged', (_, wrong) => {
    const encoder = new BatchEncoder()
    encoder.append(recordOf('a'))
    const before = encoder.byteLength
    expect(() => encoder.append(wrong)).toThrow(UserError)
    expect(() => encodedRecordSize(wrong)).toThrow(UserError)
    expect(encoder).toMatchObject({ count: 1, byteLength: before })
  })

  it('writes the header of its producer, and another one when finished again', () => {
    const encoder = new BatchEncoder()
    encoder.append(recordOf('a'))
    encoder.finish({ producerId: 1n })
    const finished = encoder.finish({ producerId: 7n, producerEpoch: 2, baseSequence: 9, transactional: true })
    const batch = only(finished)
    expect(batch).toMatchObject({ producerId: 7n, producerEpoch: 2, baseSequence: 9, transactional: true })
    expect(batch.control).toBe(false)
    expect(batch.controlType()).toBeUndefined()
  })

  it('creates a batch whose offset can be changed without a new checksum', () => {
    const moved = encodeBatch([recordOf('a')])
    setBaseOffset(moved, 2n ** 60n)
    expect([...only(moved).records()][0]?.offset).toBe(2n ** 60n)
  })

  it('starts a new batch in the same memory after a reset', () => {
    const encoder = new BatchEncoder(16)
    encoder.append(recordOf('first'))
    encoder.reset()
    expect(encoder).toMatchObject({ count: 0, byteLength: batchLayout.records, maxTime: -1 })
    encoder.append(recordOf('second'))
    expect(keys(encoder.finish())).toEqual(['second'])
  })

  it('refuses to finish a batch without records', () => {
    expect(() => new BatchEncoder().finish()).toThrow(TypeError)
  })
})

describe.each(compressions.filter((one) => one !== 'none'))('a batch compressed with %s', (compression) => {
  const text = 'the same text in many copies, '.repeat(200)

  it('is the same when compressed in the background or by finish', async () => {
    const [background, direct] = [new BatchEncoder(), new BatchEncoder()]
    for (const encoder of [background, direct]) encoder.append(recordOf(text))
    await background.compress(compression)
    const header = { compression, producerId: 4n, baseOffset: 12n }
    expect(Buffer.from(background.finish(header)).equals(direct.finish(header))).toBe(true)
    expect(background.finish(header).length).toBeLessThan(background.byteLength / 10)
  })

  it('has a record that was appended during the compression', async () => {
    const encoder = new BatchEncoder()
    encoder.append(recordOf(text))
    const compressed = encoder.compress(compression)
    encoder.append(recordOf('late'))
    await compressed
    expect(keys(encoder.finish({ compression }))).toEqual([text, 'late'])
  })

  it('has only the records after a reset during the compression', async () => {
    const encoder = new BatchEncoder()
    encoder.append(recordOf(text))
    const compressed = encoder.compress(compression)
    encoder.reset()
    encoder.append(recordOf(text.toUpperCase()))
    await compressed
    expect(keys(encoder.finish({ compression }))).toEqual([text.toUpperCase()])
  })

  it('may still be finished uncompressed, or with another compression', async () => {
    const encoder = new BatchEncoder()
    encoder.append(recordOf(text))
    await encoder.compress(compression)
    for (const other of compressions) {
      expect(keys(encoder.finish({ compression: other }))).toEqual([text])
    }
  })

  it('is stored uncompressed if compression does not make it smaller', async () => {
    const encoder = new BatchEncoder()
    encoder.append(recordOf('short'))
    await encoder.compress(compression)
    const batch = encoder.finish({ compression })
    expect(Buffer.from(batch).equals(encoder.finish())).toBe(true)
    expect(keys(batch)).toEqual(['short'])
  })

  it('is the same for any records when compressed in the background or by finish', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, async (records) => {
        const encoder = new BatchEncoder()
        for (const record of records) encoder.append(record)
        await encoder.compress(compression)
        expect(plain(only(encoder.finish({ compression })).records())).toEqual(plain(records))
      }),
      { numRuns: 30 },
    )
  })
})

describe('a compacted batch', () => {
  it('has the kept records at their offsets and covers the whole range', () => {
    const kept = fc.array(fc.record({ keep: fc.boolean(), time: fc.maxSafeNat(), value: fc.uint8Array() }), {
      minLength: 1,
      maxLength: 200,
    })
    fc.assert(
      fc.property(kept, fc.maxSafeNat(), (all, base) => {
        const baseOffset = BigInt(base)
        const records = all.map(
          ({ time, value }, index): QueueRecord => ({
            ...place,
            offset: baseOffset + BigInt(index),
            time,
            key: Buffer.from(`${index}`),
            value,
            headers: [{ key: 'at', value: Uint8Array.of(1) }],
          }),
        )
        const left = records.filter((_, index) => all[index]!.keep)
        const lastOffset = records.at(-1)!.offset
        const [batch, ...more] = decodeBatches(encodeCompacted(left, { baseOffset, lastOffset }), place)
        expect(more).toEqual([])
        expect(batch).toMatchObject({ baseOffset, lastOffset, nextOffset: lastOffset + 1n, count: left.length })
        expect(batch!.maxTime).toBe(Math.max(-1, ...left.map(({ time }) => time)))
        expect([...batch!.records()].map(textOf)).toEqual(left.map(textOf))
        for (const { offset } of left) expect(batch!.from(offset).records().next().value?.offset).toBe(offset)
      }),
      { numRuns: 60 },
    )
  })

  it('equals an uncompacted batch if every record is kept', () => {
    const encoder = new BatchEncoder()
    for (let index = 0; index < 100; index++)
      encoder.append({ key: Buffer.from('k'), value: Buffer.from(`${index}`), time: 1_000 + index })
    const stored = encoder.finish({ baseOffset: 40n })
    const [batch] = decodeBatches(stored, place)
    const again = encodeCompacted([...batch!.records()], { baseOffset: 40n, lastOffset: 139n })
    expect(Buffer.compare(again, stored)).toBe(0)
  })
})

function recordOf(text: string): BatchedRecord {
  return { key: Buffer.from(text), value: null, time: 1_700_000_000_000 }
}

function keys(batch: Uint8Array): string[] {
  return Array.from(only(batch).records(), ({ key }) => Buffer.from(key ?? []).toString())
}

function only(bytes: Uint8Array): StoredBatch {
  const batches = decodeBatches(bytes, place)
  expect(batches).toHaveLength(1)
  return batches[0]!
}

function textOf({ key, value, ...rest }: QueueRecord): object {
  return { ...rest, key: Buffer.from(key!).toString(), value: Buffer.from(value!).toString('hex') }
}

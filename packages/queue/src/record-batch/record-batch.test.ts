import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyRecords, encodeBatch, plain } from '../../test/arbitrary-records.ts'
import { craftBatch } from '../../test/crafted-batch.ts'
import { DamagedBatchError, UserError } from '../errors.ts'
import { compressions } from './compression.ts'
import { decodeBatches } from './decode.ts'
import { batchLayout } from './layout.ts'
import type { StoredBatch } from './stored-batch.ts'

const place = { topic: 'blocks', partition: 3 }

describe.each(compressions)('any records in a batch, compressed with %s', (compression) => {
  it('are decoded as they were encoded', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const [batch, ...more] = decodeBatches(encodeBatch(records, { compression }), place)
        expect(more).toEqual([])
        expect(batch).toMatchObject({ ...place, baseOffset: 40n, count: records.length })
        expect(batch!.nextOffset).toBe(40n + BigInt(records.length))
        expect(batch!.maxTime).toBe(Math.max(...records.map(({ time }) => time)))
        const decoded = [...batch!.records()]
        expect(plain(decoded)).toEqual(plain(records))
        expect(decoded.map(({ offset }) => offset)).toEqual(records.map((_, index) => 40n + BigInt(index)))
      }),
      { numRuns: 60 },
    )
  })

  it('are decoded completely or not at all if the bytes are truncated anywhere', () => {
    fc.assert(
      fc.property(anyRecords, anyRecords, fc.double({ min: 0, max: 1, noNaN: true }), (first, second, part) => {
        const one = encodeBatch(first, { compression })
        const stream = Buffer.concat([one, encodeBatch(second, { compression, baseOffset: 90n })])
        const cut = stream.subarray(0, Math.floor((stream.length - 1) * part))
        const expected = cut.length < one.length ? [] : [plain(first)]
        expect(decodeBatches(cut, place).map((batch) => plain(batch.records()))).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('are refused or unchanged if one bit of the batch has changed', () => {
    fc.assert(
      fc.property(anyRecords, fc.nat(), fc.nat(7), (records, position, bit) => {
        const batch = encodeBatch(records, { compression })
        const before = plainBatch(decodeBatches(batch, place)[0]!)
        // Not the offset: the broker writes it, so the checksum does not cover it.
        const at = batchLayout.length + (position % (batch.length - batchLayout.length))
        batch[at]! ^= 1 << bit
        const after = decodedOrRefused(batch)
        // A length that is too large looks like an incomplete batch.
        expect(after === 'refused' || after.length === 0 || after).toEqual(after.length === 1 ? [before] : true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('bytes that are not a batch', () => {
  it('are refused or omitted for any content', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void decodedOrRefused(bytes)))
  })

  it('are refused or omitted if they have a valid format version', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 61, maxLength: 300 }), (bytes) => {
        bytes[batchLayout.magic] = 2
        expect(decodedOrRefused(bytes)).toBeOneOf(['refused', []])
      }),
    )
  })

  it('are refused or read completely if only the checksum is right', () => {
    fc.assert(
      fc.property(
        fc.record({
          attributes: fc.integer({ min: 0, max: 0x7f }),
          count: fc.oneof(fc.nat(4), fc.integer()),
          lastOffsetDelta: fc.oneof(fc.nat(8), fc.integer()),
          baseTime: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
          records: fc.uint8Array({ maxLength: 200 }),
        }),
        (batch) => void decodedOrRefused(craftBatch(batch)),
      ),
      { numRuns: 2_000 },
    )
  })

  it('are refused or read completely if a byte of the records has changed before the checksum was made', () => {
    fc.assert(
      fc.property(anyRecords, fc.constantFrom(...compressions), fc.nat(), fc.nat(255), (all, compression, at, byte) => {
        const batch = encodeBatch(all, { compression })
        const attributes = new DataView(batch.buffer, batch.byteOffset).getInt16(batchLayout.attributes)
        const records = batch.slice(batchLayout.records)
        records[at % records.length] = byte
        decodedOrRefused(craftBatch({ attributes, count: all.length, records }))
      }),
      { numRuns: 400 },
    )
  })
})

/** Any error but the two that bytes may cause fails the test. */
function decodedOrRefused(bytes: Uint8Array): unknown[] | 'refused' {
  try {
    return decodeBatches(bytes, place).map(plainBatch)
  } catch (error) {
    const unsupported = error instanceof UserError && error.code === 'unsupported_batch'
    if (error instanceof DamagedBatchError || unsupported) return 'refused'
    throw error
  }
}

function plainBatch(batch: StoredBatch): unknown {
  const { baseOffset, nextOffset, maxTime, producerId, producerEpoch, baseSequence, transactional, control } = batch
  const header = { baseOffset, nextOffset, maxTime, producerId, producerEpoch, baseSequence, transactional, control }
  return { ...header, records: plain(batch.records()) }
}

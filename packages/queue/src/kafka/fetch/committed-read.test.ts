import { describe, expect, it } from 'vitest'
import { DamagedBatchError } from '../../errors.ts'
import { crc32c } from '../../record-batch/crc32c.ts'
import { decodeBatches } from '../../record-batch/decode.ts'
import { BatchEncoder } from '../../record-batch/encode.ts'
import { batchLayout, uncountedBytes } from '../../record-batch/layout.ts'
import type { AbortedTransaction, FetchedPartition } from '../connection/fetch-request.ts'
import { committedBatches, committedRead } from './committed-read.ts'

const place = { topic: 't', partition: 0 }

describe('the read-committed filter', () => {
  it('drops markers and keeps committed and non-transactional data', () => {
    const answer = [data(0, { by: 7n, records: 2 }), marker(2, { by: 7n, type: 'commit' }), data(3, {})]
    expect(visible(answer, [])).toEqual([0, 3])
  })

  it('drops a transaction whose abort marker is after the answer', () => {
    const answer = [data(0, { by: 7n }), data(1, { by: 8n }), data(2, { by: 7n })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 0n }])).toEqual([1])
  })

  it('drops the end of an aborted transaction that started before the answer', () => {
    const answer = [data(10, { by: 7n }), marker(11, { by: 7n, type: 'abort' }), data(12, { by: 7n })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 3n }])).toEqual([12])
  })

  it('drops an aborted transaction that started before the answer and ends after it', () => {
    expect(visible([data(10, { by: 7n }), data(11, { by: 8n })], [{ producerId: 7n, firstOffset: 3n }])).toEqual([11])
  })

  it('ignores an abort marker of a transaction without data in the answer', () => {
    const answer = [marker(4, { by: 7n, type: 'abort' }), data(5, { by: 7n }), marker(6, { by: 7n, type: 'commit' })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 1n }])).toEqual([5])
  })

  it('distinguishes the transactions of a producer with two aborted ones', () => {
    const answer = [
      data(0, { by: 7n }),
      marker(1, { by: 7n, type: 'abort' }),
      data(2, { by: 7n }),
      marker(3, { by: 7n, type: 'commit' }),
      data(4, { by: 7n }),
      marker(5, { by: 7n, type: 'abort' }),
      data(6, { by: 7n }),
    ]
    const aborted = [
      { producerId: 7n, firstOffset: 4n },
      { producerId: 7n, firstOffset: 0n },
    ]
    expect(visible(answer, aborted)).toEqual([2, 6])
  })

  it('drops two consecutive aborted transactions', () => {
    const answer = [
      data(0, { by: 7n }),
      marker(1, { by: 7n, type: 'abort' }),
      data(2, { by: 7n }),
      data(3, { by: 7n }),
      marker(4, { by: 7n, type: 'abort' }),
      data(5, { by: 7n }),
      marker(6, { by: 7n, type: 'commit' }),
    ]
    const aborted = [
      { producerId: 7n, firstOffset: 0n },
      { producerId: 7n, firstOffset: 2n },
    ]
    expect(visible(answer, aborted)).toEqual([5])
  })

  it('keeps a committed transaction right after an aborted one of the same producer', () => {
    const answer = [
      data(0, { by: 7n, records: 3 }),
      marker(3, { by: 7n, type: 'abort' }),
      data(4, { by: 7n, records: 2 }),
      marker(6, { by: 7n, type: 'commit' }),
    ]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 0n }])).toEqual([4])
  })

  it('separates interleaved transactions of two producers, listed in the order of their ends', () => {
    const answer = [
      data(0, { by: 7n }),
      data(1, { by: 8n }),
      data(2, { by: 9n }),
      data(3, { by: 7n }),
      marker(4, { by: 8n, type: 'abort' }),
      data(5, { by: 8n }),
      marker(6, { by: 7n, type: 'abort' }),
      marker(7, { by: 8n, type: 'commit' }),
      data(8, { by: 7n }),
    ]
    const aborted = [
      { producerId: 8n, firstOffset: 1n },
      { producerId: 7n, firstOffset: 0n },
    ]
    expect(visible(answer, aborted)).toEqual([2, 5, 8])
  })

  it('keeps a record whose key looks like a marker', () => {
    const abortKey = Buffer.from([0, 0, 0, 0])
    const answer = [data(0, { by: 7n }), data(1, { by: 7n, key: abortKey }), data(2, { by: 7n })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 0n }])).toEqual([])
    expect(visible(answer, [])).toEqual([0, 1, 2])
  })

  it.each([
    ['another type', Buffer.from([0, 0, 0, 5])],
    ['a key of another form', Buffer.from([0])],
    ['no key', null],
  ])('drops a control batch with %s, which ends no transaction', (_, key) => {
    const answer = [data(0, { by: 7n }), control(1, { by: 7n, key }), data(2, { by: 7n }), data(3, { by: 8n })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 0n }])).toEqual([3])
  })

  it('keeps non-transactional data of a producer id with an aborted transaction', () => {
    const answer = [data(0, { by: 7n }), data(1, { by: 7n, transactional: false })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 0n }])).toEqual([1])
  })

  it('drops a batch of an aborted transaction whose first record was compacted away', () => {
    const answer = [data(4, { by: 7n, lastDelta: 5 }), data(10, { by: 7n }), marker(11, { by: 7n, type: 'abort' })]
    expect(visible([...answer, data(12, { by: 7n })], [{ producerId: 7n, firstOffset: 6n }])).toEqual([12])
  })
})

describe('a committed read', () => {
  it('skips invisible records', () => {
    const bytes = [data(5, { by: 7n, records: 3 }), marker(8, { by: 7n, type: 'abort' })]
    const read = readFrom(5n, bytes, [{ producerId: 7n, firstOffset: 5n }])
    expect(read).toMatchObject({ batches: [], next: 9n, end: 12n })
  })

  it('starts at the requested offset within a batch', () => {
    const read = readFrom(7n, [data(5, { records: 4 })])
    expect(offsets(read)).toEqual([7n, 8n])
    expect(read.batches[0]!.baseOffset).toBe(7n)
    expect(read.next).toBe(9n)
  })

  it('returns nothing of an aborted batch that contains the requested offset', () => {
    const bytes = [data(5, { by: 7n, records: 4 }), marker(9, { by: 7n, type: 'abort' }), data(10, { by: 7n })]
    const read = readFrom(7n, bytes, [{ producerId: 7n, firstOffset: 5n }])
    expect(offsets(read)).toEqual([10n])
  })

  it('does not advance for an empty answer', () => {
    expect(readFrom(12n, [])).toEqual({ batches: [], next: 12n, end: 12n, lastEpoch: undefined })
  })

  it('skips records that were compacted away at the end of a batch', () => {
    const read = readFrom(5n, [data(5, { records: 2, lastDelta: 6 })])
    expect(offsets(read)).toEqual([5n, 6n])
    expect(read.next).toBe(12n)
    expect(readFrom(9n, [data(5, { records: 2, lastDelta: 6 })]).next).toBe(12n)
  })

  it('skips a batch that compaction has emptied', () => {
    const read = readFrom(5n, [emptied(5, { by: 7n, lastDelta: 3 }), data(9, {})])
    expect(offsets(read)).toEqual([9n])
    expect(readFrom(5n, [emptied(5, { by: 7n, lastDelta: 3 })])).toMatchObject({ batches: [], next: 9n })
  })

  it('continues from an incomplete last batch', () => {
    const cut = data(7, { records: 3 })
    for (const bytes of [1, 20, cut.length - 1]) {
      const read = readFrom(5n, [data(5, { records: 2 }), cut.subarray(0, bytes)])
      expect(offsets(read)).toEqual([5n, 6n])
      expect(read.next).toBe(7n)
    }
  })

  it('does not advance if the first batch is incomplete', () => {
    expect(readFrom(5n, [data(5, {}).subarray(0, 65)])).toMatchObject({ batches: [], next: 5n })
  })

  it('refuses a damaged batch and names its offset', () => {
    const damaged = data(7, { records: 3 })
    damaged[damaged.length - 3]! ^= 1
    expect(() => readFrom(5n, [data(5, { records: 2 }), damaged])).toThrow(DamagedBatchError)
    expect(() => readFrom(5n, [data(5, { records: 2 }), damaged])).toThrow(/offset 7 of "t" partition 0/)
  })

  it('returns the leader epoch of the last batch, even of a marker', () => {
    const bytes = [data(5, { by: 7n, epoch: 3 }), marker(6, { by: 7n, type: 'commit' }), data(7, { epoch: 9 })]
    expect(readFrom(5n, bytes).lastEpoch).toBe(9)
    expect(readFrom(5n, [...bytes, data(8, { epoch: 11 }).subarray(0, 40)]).lastEpoch).toBe(9)
  })

  it('never reports an end before the reached offset, even if a new leader does', () => {
    expect(readFrom(20n, []).end).toBe(20n)
  })
})

function visible(batches: Uint8Array[], aborted: AbortedTransaction[]): number[] {
  const stored = decodeBatches(Buffer.concat(batches), place)
  return committedBatches(stored, aborted).map(({ baseOffset }) => Number(baseOffset))
}

function readFrom(offset: bigint, batches: Uint8Array[], abortedTransactions: AbortedTransaction[] = []) {
  const fetched: FetchedPartition = {
    topicId: 'id',
    partition: 0,
    errorCode: 0,
    highWatermark: 20n,
    lastStableOffset: 12n,
    abortedTransactions,
    diverges: false,
    bytes: Buffer.concat(batches),
  }
  return committedRead(fetched, { ...place, offset })
}

function offsets({ batches }: ReturnType<typeof committedRead>): bigint[] {
  return batches.flatMap((batch) => Array.from(batch.records(), ({ offset }) => offset))
}

interface Batch {
  by?: bigint
  records?: number
  key?: Uint8Array | null
  transactional?: boolean
  /** `lastOffsetDelta`. It exceeds the records if compaction has removed those at the end. */
  lastDelta?: number
  epoch?: number
}

function data(offset: number, options: Batch): Uint8Array {
  const { by, records = 1, key = null, transactional = by !== undefined } = options
  const encoder = new BatchEncoder()
  for (let index = 0; index < records; index++) encoder.append({ key, value: Buffer.from('v'), time: index })
  const header = { baseOffset: BigInt(offset), producerId: by ?? -1n, producerEpoch: 0, transactional }
  return change(encoder.finish(header).slice(), (view) => {
    view.setInt32(batchLayout.leaderEpoch, options.epoch ?? 0)
    view.setInt32(batchLayout.lastOffsetDelta, options.lastDelta ?? records - 1)
  })
}

function marker(offset: number, { by, type }: { by: bigint; type: 'commit' | 'abort' }): Uint8Array {
  return control(offset, { by, key: Buffer.from([0, 0, 0, type === 'commit' ? 1 : 0]) })
}

function control(offset: number, options: { by: bigint; key: Uint8Array | null }): Uint8Array {
  return change(data(offset, options), (view) => {
    view.setInt16(batchLayout.attributes, view.getInt16(batchLayout.attributes) | controlBit)
  })
}

const controlBit = 0x20

/** A batch that compaction has emptied. Compaction keeps the header of the last batch of each producer. */
function emptied(offset: number, options: Batch): Uint8Array {
  return change(data(offset, options).slice(0, batchLayout.records), (view) => {
    view.setInt32(batchLayout.length, batchLayout.records - uncountedBytes)
    view.setInt32(batchLayout.count, 0)
  })
}

function change(batch: Uint8Array, how: (view: DataView) => void): Uint8Array {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.length)
  how(view)
  view.setUint32(batchLayout.checksum, crc32c(batch.subarray(batchLayout.attributes)))
  return batch
}

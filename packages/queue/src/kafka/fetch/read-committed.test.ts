import { describe, expect, it } from 'vitest'
import { crc32c } from '../../record-batch/crc32c.ts'
import { decodeBatches } from '../../record-batch/decode.ts'
import { createBatchEncoder } from '../../record-batch/encode.ts'
import { batchLayout } from '../../record-batch/layout.ts'
import { committedRead } from './committed-read.ts'
import { committedBatches } from './read-committed.ts'

const place = { topic: 't', partition: 0 }

describe('the read-committed filter', () => {
  it('leaves out markers and keeps committed and plain data', () => {
    const answer = [data(0, { by: 7n, records: 2 }), marker(2, { by: 7n, type: 'commit' }), data(3, {})]
    expect(visible(answer, [])).toEqual([0, 3])
  })

  it('leaves out a transaction whose abort marker lies beyond the answer', () => {
    const answer = [data(0, { by: 7n }), data(1, { by: 8n }), data(2, { by: 7n })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 0n }])).toEqual([1])
  })

  it('leaves out the rest of a transaction that began before the answer', () => {
    const answer = [data(10, { by: 7n }), marker(11, { by: 7n, type: 'abort' }), data(12, { by: 7n })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 3n }])).toEqual([12])
  })

  it('tells apart the transactions of one producer that was aborted twice', () => {
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

  it('follows two producers whose transactions interleave, listed in the order in which they ended', () => {
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

  it('takes a record whose key looks like a marker for data', () => {
    const abortKey = Buffer.from([0, 0, 0, 0])
    const answer = [data(0, { by: 7n }), data(1, { by: 7n, key: abortKey }), data(2, { by: 7n })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 0n }])).toEqual([])
    expect(visible(answer, [])).toEqual([0, 1, 2])
  })

  it('does not apply an aborted transaction to plain data of its producer id', () => {
    const answer = [data(0, { by: 7n }), data(1, { by: 7n, transactional: false })]
    expect(visible(answer, [{ producerId: 7n, firstOffset: 0n }])).toEqual([1])
  })
})

describe('a committed read', () => {
  const fetched = { ...place, errorCode: 0, highWatermark: 20n, lastStableOffset: 12n }

  it('moves on past what is not visible', () => {
    const bytes = Buffer.concat([data(5, { by: 7n, records: 3 }), marker(8, { by: 7n, type: 'abort' })])
    const abortedTransactions = [{ producerId: 7n, firstOffset: 5n }]
    const read = committedRead({ ...fetched, abortedTransactions, bytes }, { ...place, offset: 5n })
    expect(read).toEqual({ batches: [], next: 9n, end: 12n })
  })

  it('begins at the offset asked for inside of a batch', () => {
    const bytes = data(5, { records: 4 })
    const read = committedRead({ ...fetched, abortedTransactions: [], bytes }, { ...place, offset: 7n })
    expect(read.batches.flatMap((batch) => [...batch.records()].map(({ offset }) => offset))).toEqual([7n, 8n])
    expect(read.batches[0]!.baseOffset).toBe(7n)
    expect(read.next).toBe(9n)
  })

  it('stays where it is when nothing came', () => {
    const read = committedRead(
      { ...fetched, abortedTransactions: [], bytes: new Uint8Array() },
      { ...place, offset: 12n },
    )
    expect(read).toEqual({ batches: [], next: 12n, end: 12n })
  })
})

function visible(batches: Uint8Array[], aborted: { producerId: bigint; firstOffset: bigint }[]): number[] {
  const stored = decodeBatches(Buffer.concat(batches), place)
  return committedBatches(stored, aborted).map(({ baseOffset }) => Number(baseOffset))
}

function data(
  offset: number,
  options: { by?: bigint; records?: number; key?: Uint8Array; transactional?: boolean },
): Uint8Array {
  const { by, records = 1, key = null, transactional = by !== undefined } = options
  const encoder = createBatchEncoder()
  for (let index = 0; index < records; index++) encoder.append({ key, value: Buffer.from('v'), time: index })
  return encoder.finish({ baseOffset: BigInt(offset), producerId: by ?? -1n, producerEpoch: 0, transactional }).slice()
}

function marker(offset: number, { by, type }: { by: bigint; type: 'commit' | 'abort' }): Uint8Array {
  const batch = data(offset, { by, key: Buffer.from([0, 0, 0, type === 'commit' ? 1 : 0]) })
  const view = new DataView(batch.buffer)
  view.setInt16(batchLayout.attributes, view.getInt16(batchLayout.attributes) | controlBit)
  view.setUint32(batchLayout.checksum, crc32c(batch, batchLayout.attributes))
  return batch
}

const controlBit = 0x20

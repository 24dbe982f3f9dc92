import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBatches } from './decode.ts'
import { BatchEncoder } from './encode.ts'
import { encodeCompacted } from './encode-compacted.ts'
import type { QueueRecord } from './record-batch.ts'

const place = { topic: 'checkpoints', partition: 3 }

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
        expect([...batch!.records()].map(plain)).toEqual(left.map(plain))
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

function plain({ key, value, ...rest }: QueueRecord): object {
  return { ...rest, key: Buffer.from(key!).toString(), value: Buffer.from(value!).toString('hex') }
}

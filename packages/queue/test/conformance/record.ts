import { describe, expect, it } from 'vitest'
import { UserError } from '../../src/errors.ts'
import type { NewRecord } from '../../src/queue.ts'
import type { Subject } from './subject.ts'
import { readAll, textRecord } from './text-records.ts'

export function describeRecord(subject: Subject): void {
  const variety: Omit<NewRecord, 'topic'>[] = [
    { key: null, value: null, time: 0 },
    { key: new Uint8Array(0), value: new Uint8Array(0), time: 1 },
    { key: Uint8Array.of(0, 255, 10), value: Uint8Array.of(13, 0), time: 1_600_000_000_123 },
    { key: Buffer.alloc(40_000, 'long key'), value: Buffer.alloc(900_000, 'large'), time: 1_500_000_000_000 },
    {
      key: Buffer.from('headers'),
      value: null,
      time: 1_600_000_000_001,
      headers: [
        { key: 'at', value: Uint8Array.of(1, 2) },
        { key: 'op', value: Buffer.from('revert') },
        { key: 'at', value: new Uint8Array(0) },
        { key: 'größe', value: Buffer.from('☃') },
        { key: '', value: Buffer.from('without a name') },
      ],
    },
  ]

  describe('NewRecord', () => {
    it.each(['commit', 'append'] as const)(
      'comes back with the same key, value, headers and time through %s',
      async (way) => {
        const topic = await subject.createTopic()
        const records = variety.map((record) => ({ ...record, topic }))
        if (way === 'append') await subject.queue.append(records)
        else {
          const transaction = (await subject.openWriter()).begin()
          for (const record of records) transaction.send(record)
          await transaction.commit()
        }
        const stored = await readAll(subject.other, topic)
        expect(stored.map(comparable)).toEqual(records.map(comparable))
      },
    )

    it('is refused with a time or value of a wrong type or range, and the transaction continues without it', async () => {
      const topic = await subject.createTopic()
      const transaction = (await subject.openWriter()).begin()
      for (const wrong of [
        { time: -1 },
        { time: 0.5 },
        { time: Number.MAX_SAFE_INTEGER + 1 },
        { value: 'text' as unknown as Uint8Array },
      ]) {
        expect(() => transaction.send(textRecord(topic, 'wrong', wrong))).toThrow(UserError)
      }
      transaction.send(textRecord(topic, 'right'))
      await transaction.commit()
      expect(await readAll(subject.other, topic)).toHaveLength(1)
    })
  })
}

function comparable({ key, value, headers = [], time }: Omit<NewRecord, 'topic'>): object {
  const hex = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('hex')
  return { key: hex(key), value: hex(value), time, headers: headers.map((one) => [one.key, hex(one.value)]) }
}

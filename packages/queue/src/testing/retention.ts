import { describe, expect, it } from 'vitest'
import { PositionLostError } from '../errors.ts'
import { boundsOf, commitTexts, readAll, readTexts, type Subject } from './subject.ts'

export function describeRetention(subject: Subject): void {
  describe('deleteBefore', () => {
    it('makes an offset the earliest, for every reader, and leaves the rest as it is', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      for (let round = 0; round < 10; round++) await commitTexts(writer, topic, [`${round}a`, `${round}b`])
      const records = await readAll(subject.queue, topic)
      const { end } = await boundsOf(subject.queue, topic)
      const { offset } = records[13]!
      await subject.queue.deleteBefore(topic, 0, offset)
      expect(await boundsOf(subject.other, topic)).toEqual({ earliest: offset, end })
      expect(await readTexts(subject.other, topic)).toEqual(['6b', '7a', '7b', '8a', '8b', '9a', '9b'])
      const lost = subject.other.read({ topic, partition: 0, offset: offset - 1n }, { maxBytes: 1 })
      await expect(lost).rejects.toThrow(PositionLostError)
      await expect(lost).rejects.toThrow(expect.objectContaining({ earliest: offset, end }))
    })

    it('may empty a partition, which then goes on from its end', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      await commitTexts(writer, topic, ['a', 'b', 'c'])
      const { end } = await boundsOf(subject.queue, topic)
      await subject.queue.deleteBefore(topic, 0, end)
      expect(await boundsOf(subject.other, topic)).toEqual({ earliest: end, end })
      await commitTexts(writer, topic, ['d'])
      const [record, ...more] = await readAll(subject.other, topic)
      expect(record?.offset).toBe(end)
      expect(more).toEqual([])
    })

    it('never gives back what has been deleted', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b', 'c'])
      const records = await readAll(subject.queue, topic)
      await subject.queue.deleteBefore(topic, 0, records[2]!.offset)
      await subject.queue.deleteBefore(topic, 0, records[1]!.offset)
      expect(await readTexts(subject.other, topic)).toEqual(['c'])
    })
  })
}

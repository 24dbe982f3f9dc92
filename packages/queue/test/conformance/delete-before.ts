import { describe, expect, it } from 'vitest'
import { PositionLostError, TopicMismatchError, UnknownTopicError } from '../../src/errors.ts'
import type { Subject } from './subject.ts'
import { boundsOf, commitTexts, readAll, readTexts, textRecord, uniqueName } from './text-records.ts'

export function describeDeleteBefore(subject: Subject): void {
  describe('deleteBefore', () => {
    it('makes an offset the earliest for every reader and changes nothing else', async () => {
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

    it('may empty a partition, which then continues from its end', async () => {
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

    it('never restores deleted records', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b', 'c'])
      const records = await readAll(subject.queue, topic)
      await subject.queue.deleteBefore(topic, 0, records[2]!.offset)
      await subject.queue.deleteBefore(topic, 0, records[1]!.offset)
      expect(await readTexts(subject.other, topic)).toEqual(['c'])
    })

    it('does not change other partitions', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      await subject.queue.append([textRecord(topic, 'a'), textRecord(topic, 'b', { partition: 1 })])
      await subject.queue.deleteBefore(topic, 1, 1n)
      expect(await readTexts(subject.other, topic)).toEqual(['a'])
      expect(await readTexts(subject.other, topic, 1)).toEqual([])
    })

    it('refuses an offset that is negative or after the end, and removes nothing', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b'])
      const { earliest, end } = await boundsOf(subject.queue, topic)
      for (const offset of [-1n, end + 1n]) {
        const lost = subject.queue.deleteBefore(topic, 0, offset)
        await expect(lost).rejects.toThrow(PositionLostError)
        await expect(lost).rejects.toThrow(expect.objectContaining({ offset, earliest, end }))
      }
      expect(await readTexts(subject.other, topic)).toEqual(['a', 'b'])
    })

    it('refuses a compacted topic', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      await subject.queue.append([textRecord(topic, 'kept', { key: Buffer.from('key') })])
      await expect(subject.queue.deleteBefore(topic, 0, 1n)).rejects.toThrow(TopicMismatchError)
      expect(await readTexts(subject.other, topic)).toEqual(['kept'])
    })

    it('refuses a topic or a partition that does not exist', async () => {
      const topic = await subject.createTopic()
      await expect(subject.queue.deleteBefore(uniqueName(), 0, 0n)).rejects.toThrow(UnknownTopicError)
      await expect(subject.queue.deleteBefore(topic, 1, 0n)).rejects.toThrow(UnknownTopicError)
    })
  })
}

import { describe, expect, it } from 'vitest'
import { UnknownTopicError } from '../../src/errors.ts'
import { beginLarge } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { commitTexts, readAll, textRecord, uniqueName } from './text-records.ts'

export function describeOffsetForTime(subject: Subject): void {
  describe('offsetForTime', () => {
    it('finds the lowest offset at or after a time, among equal times, gaps and aborted records', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const steps = [[1_000, 1_010, 1_010], [1_010], [1_010, 1_020], [2_000], [3_000, 3_001, 3_002]]
      for (const times of steps) {
        const transaction = writer.begin()
        for (const time of times) transaction.send(textRecord(topic, `${time}`, { time }))
        await transaction.commit()
        const aborted = writer.begin()
        aborted.send(textRecord(topic, 'never', { time: times.at(-1)! }))
        await aborted.abort()
      }
      const records = await readAll(subject.queue, topic)
      for (const time of [0, 1_000, 1_001, 1_010, 1_011, 1_020, 1_999, 2_000, 2_001, 3_001, 3_002]) {
        const first = records.find((record) => record.time >= time)
        expect(await subject.other.offsetForTime(topic, 0, time), `at ${time}`).toBe(first?.offset)
      }
      expect(await subject.other.offsetForTime(topic, 0, 3_003)).toBeUndefined()
    })

    it('searches the requested partition', async () => {
      const topic = await subject.createTopic({ partitions: 3 })
      await subject.queue.append([
        textRecord(topic, 'a', { time: 100 }),
        textRecord(topic, 'b', { time: 200 }),
        textRecord(topic, 'c', { time: 200, partition: 1 }),
      ])
      const offsets = [0, 1, 2].map((partition) => subject.other.offsetForTime(topic, partition, 150))
      expect(await Promise.all(offsets)).toEqual([1n, 0n, undefined])
    })

    it('finds nothing if all records were aborted', async () => {
      const topic = await subject.createTopic()
      await (await beginLarge(subject, await subject.openWriter(), topic)).abort()
      expect(await subject.other.offsetForTime(topic, 0, 0)).toBeUndefined()
    })

    it('ignores deleted records', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b', 'c'])
      const third = (await readAll(subject.queue, topic))[2]!
      await subject.queue.deleteBefore(topic, 0, third.offset)
      expect(await subject.other.offsetForTime(topic, 0, 0)).toBe(third.offset)
    })

    it('refuses a topic or a partition that does not exist', async () => {
      const topic = await subject.createTopic()
      await expect(subject.queue.offsetForTime(uniqueName(), 0, 0)).rejects.toThrow(UnknownTopicError)
      await expect(subject.queue.offsetForTime(topic, 1, 0)).rejects.toThrow(UnknownTopicError)
    })
  })
}

import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'
import { describeOne, readAll, textRecord, uniqueName } from './text-records.ts'

export function describeDescribe(subject: Subject): void {
  describe('describe', () => {
    it('returns the named topics that exist, ordered by name, and none for an empty list', async () => {
      const topics = [await subject.createTopic(), await subject.createTopic()]
      const described = await subject.queue.describe([...topics.toSorted().toReversed(), uniqueName()])
      expect(described.map(({ name }) => name)).toEqual(topics.toSorted())
      expect(await subject.queue.describe([])).toEqual([])
    })

    it('returns all topics, ordered by name, when called without names', async () => {
      const topic = await subject.createTopic()
      const described = await subject.queue.describe()
      expect(described).toContainEqual(await describeOne(subject.queue, topic))
      const names = described.map(({ name }) => name)
      expect(names).toEqual(names.toSorted())
    })

    it('returns a unique id of each topic that does not change', async () => {
      const topics = [await subject.createTopic(), await subject.createTopic()]
      const before = await subject.queue.describe(topics)
      await subject.queue.append([textRecord(topics[0]!, 'a')])
      const after = await subject.other.describe(topics)
      expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
      expect(new Set(after.map(({ id }) => id))).toHaveLength(2)
    })

    it('returns the bounds of the committed records of every partition', async () => {
      const topic = await subject.createTopic({ partitions: 3 })
      await subject.queue.append([
        textRecord(topic, 'a'),
        textRecord(topic, 'b', { partition: 2 }),
        textRecord(topic, 'c', { partition: 2 }),
      ])
      await subject.queue.deleteBefore(topic, 2, 1n)
      expect((await describeOne(subject.other, topic)).partitions).toEqual([
        { earliest: 0n, end: 1n },
        { earliest: 0n, end: 0n },
        { earliest: 1n, end: 2n },
      ])
      expect((await readAll(subject.other, topic, 2)).map(({ offset }) => offset)).toEqual([1n])
    })
  })
}

import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'
import { describeOne, readAll, textRecord, uniqueName } from './text-records.ts'

export function describeDescribe(subject: Subject): void {
  describe('describe', () => {
    it('gives the named topics that exist in order of name, and none where none is named', async () => {
      const topics = [await subject.createTopic(), await subject.createTopic()]
      const described = await subject.queue.describe([...topics.toSorted().toReversed(), uniqueName()])
      expect(described.map(({ name }) => name)).toEqual(topics.toSorted())
      expect(await subject.queue.describe([])).toEqual([])
    })

    it('gives all topics in order of name when it is asked without names', async () => {
      const topic = await subject.createTopic()
      const described = await subject.queue.describe()
      expect(described).toContainEqual(await describeOne(subject.queue, topic))
      const names = described.map(({ name }) => name)
      expect(names).toEqual(names.toSorted())
    })

    it('gives each topic an id of its own that does not change', async () => {
      const topics = [await subject.createTopic(), await subject.createTopic()]
      const before = await subject.queue.describe(topics)
      await subject.queue.append([textRecord(topics[0]!, 'a')])
      const after = await subject.other.describe(topics)
      expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
      expect(new Set(after.map(({ id }) => id))).toHaveLength(2)
    })

    it('gives the bounds of every partition, between which the committed records lie', async () => {
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

import { describe, expect, it } from 'vitest'
import { TopicMismatchError, UserError } from '../errors.ts'
import { describeOne, type Subject, uniqueName } from './subject.ts'

export function describeTopics(subject: Subject): void {
  describe('topics', () => {
    it('are created empty, with one partition and cleanup "delete" unless told otherwise', async () => {
      const topic = await subject.createTopic()
      expect(await subject.other.describe([topic])).toEqual([
        {
          name: topic,
          id: expect.stringMatching(/^.{1,64}$/),
          cleanup: 'delete',
          partitions: [{ earliest: 0n, end: 0n }],
        },
      ])
    })

    it('are created with the partitions and the cleanup asked for', async () => {
      const topic = await subject.createTopic({ partitions: 3, cleanup: 'compact' })
      const { cleanup, partitions } = await describeOne(subject.other, topic)
      expect(cleanup).toBe('compact')
      expect(partitions).toHaveLength(3)
    })

    it('stay as they are when they are created again', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const before = await describeOne(subject.queue, topic)
      await subject.other.createTopics([{ name: topic, partitions: 2 }])
      expect(await describeOne(subject.queue, topic)).toEqual(before)
    })

    it('may be created by two at once', async () => {
      const specs = [{ name: uniqueName() }, { name: uniqueName(), partitions: 2 }]
      await Promise.all([subject.queue.createTopics(specs), subject.other.createTopics(specs)])
      expect(await subject.queue.describe(specs.map(({ name }) => name))).toHaveLength(2)
    })

    it('are not changed by a call that asks for other settings, which says how they differ', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const before = await describeOne(subject.queue, topic)
      for (const [spec, difference] of [
        [{ name: topic, partitions: 3 }, /2.*3/],
        [{ name: topic, partitions: 2, cleanup: 'compact' }, /delete.*compact/],
      ] as const) {
        const refused = subject.queue.createTopics([spec])
        await expect(refused).rejects.toThrow(TopicMismatchError)
        await expect(refused).rejects.toThrow(difference)
      }
      expect(await describeOne(subject.queue, topic)).toEqual(before)
    })

    it.each(['', '.', 'with space', 'x'.repeat(250)])('are refused under the name %j', async (name) => {
      await expect(subject.queue.createTopics([{ name }])).rejects.toThrow(UserError)
    })

    it('are described in order of name, without those that do not exist', async () => {
      const topics = [await subject.createTopic(), await subject.createTopic()]
      const described = await subject.queue.describe([...topics.toSorted().toReversed(), uniqueName()])
      expect(described.map(({ name }) => name)).toEqual(topics.toSorted())
    })

    it('are all described when none is named', async () => {
      const topic = await subject.createTopic()
      expect(await subject.queue.describe()).toContainEqual(await describeOne(subject.queue, topic))
    })
  })
}

import { describe, expect, it } from 'vitest'
import { TopicMismatchError } from '../../src/errors.ts'
import type { TopicSpec } from '../../src/queue.ts'
import type { Subject } from './subject.ts'
import { describeOne, readTexts, textRecord, uniqueName } from './text-records.ts'

export function describeCreateTopics(subject: Subject): void {
  describe('createTopics', () => {
    it('creates empty topics, by default with one partition and cleanup "delete"', async () => {
      const topic = await subject.createTopic()
      expect(await describeOne(subject.other, topic)).toEqual({
        name: topic,
        id: expect.stringMatching(/^.{1,64}$/),
        cleanup: 'delete',
        partitions: [{ earliest: 0n, end: 0n }],
      })
    })

    it('creates up to 64 partitions, each of which accepts records', async () => {
      const count = 64
      const topic = await subject.createTopic({ partitions: count, cleanup: 'compact' })
      const { cleanup, partitions } = await describeOne(subject.other, topic)
      expect(cleanup).toBe('compact')
      expect(partitions).toHaveLength(count)
      const records = partitions.map((_, partition) =>
        textRecord(topic, `${partition}`, { partition, key: Buffer.from('key') }),
      )
      await subject.queue.append(records)
      for (const partition of [0, count - 1]) {
        expect(await readTexts(subject.other, topic, partition)).toEqual([`${partition}`])
      }
    })

    it('accepts names of up to 249 characters of A–Z, a–z, 0–9, dot, underscore and hyphen', async () => {
      const start = `${uniqueName()}.A_z-9.`
      const name = start + 'x'.repeat(249 - start.length)
      await subject.queue.createTopics([{ name }])
      expect(await describeOne(subject.other, name)).toMatchObject({ name })
    })

    it.each<[string, Partial<TopicSpec>]>([
      ['an empty name', { name: '' }],
      ['the name "."', { name: '.' }],
      ['a name with a space', { name: 'with space' }],
      ['a name of 250 characters', { name: 'x'.repeat(250) }],
      ['zero partitions', { partitions: 0 }],
      ['65 partitions', { partitions: 65 }],
      ['a fraction of a partition', { partitions: 1.5 }],
    ])('refuses %s and creates none of the others', async (_, wrong) => {
      const good = uniqueName()
      await expect(subject.queue.createTopics([{ name: good }, { name: uniqueName(), ...wrong }])).rejects.toThrow(
        expect.objectContaining({ code: 'invalid_topic' }),
      )
      expect(await subject.other.describe([good])).toEqual([])
    })

    it('does not change an existing topic with the requested settings', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      await subject.queue.append([textRecord(topic, 'kept')])
      const before = await describeOne(subject.queue, topic)
      await subject.other.createTopics([{ name: topic, partitions: 2 }, { name: uniqueName() }])
      expect(await describeOne(subject.queue, topic)).toEqual(before)
    })

    it('refuses other settings than those of an existing topic, names the difference, and creates and changes none', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const before = await describeOne(subject.queue, topic)
      const fresh = uniqueName()
      for (const [spec, difference] of [
        [{ name: topic, partitions: 3 }, /2.*3/],
        [{ name: topic, partitions: 2, cleanup: 'compact' }, /delete.*compact/],
      ] as const) {
        const refused = subject.queue.createTopics([{ name: fresh }, spec])
        await expect(refused).rejects.toThrow(TopicMismatchError)
        await expect(refused).rejects.toThrow(difference)
      }
      expect(await subject.queue.describe([topic, fresh])).toEqual([before])
    })

    it('advises a new topicVersion for another number of partitions', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const refused = subject.queue.createTopics([{ name: topic, partitions: 3 }])
      await expect(refused).rejects.toThrow(/"partitions" .* to 2: .* Or give "topicVersion" a new number/)
    })

    it('may be called by two queues concurrently', async () => {
      const specs = [{ name: uniqueName() }, { name: uniqueName(), partitions: 2 }]
      await Promise.all([subject.queue.createTopics(specs), subject.other.createTopics(specs)])
      expect(await subject.queue.describe(specs.map(({ name }) => name))).toHaveLength(2)
    })
  })
}

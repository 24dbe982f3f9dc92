import { describe, expect, it } from 'vitest'
import { RecordTooLargeError, UnknownTopicError } from '../../src/errors.ts'
import { beginLarge } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { numbered, readAll, readTexts, textRecord, uniqueName } from './text-records.ts'

export function describeAppend(subject: Subject): void {
  describe('append', () => {
    it('makes its records visible to every reader, in order, each once', async () => {
      const topics = [await subject.createTopic({ partitions: 2 }), await subject.createTopic()] as const
      for (let round = 0; round < 3; round++) {
        await subject.queue.append([
          textRecord(topics[0], `${round}a`),
          textRecord(topics[0], `${round}b`, { partition: 1 }),
          textRecord(topics[1], `${round}c`),
          textRecord(topics[0], `${round}d`),
        ])
      }
      expect(await readTexts(subject.other, topics[0])).toEqual(['0a', '0d', '1a', '1d', '2a', '2d'])
      expect(await readTexts(subject.other, topics[0], 1)).toEqual(['0b', '1b', '2b'])
      expect(await readTexts(subject.other, topics[1])).toEqual(['0c', '1c', '2c'])
    })

    it('loses no record when called concurrently', async () => {
      const topic = await subject.createTopic()
      const texts = numbered(40)
      const append = (text: string, index: number) =>
        (index % 2 === 0 ? subject.queue : subject.other).append([textRecord(topic, text)])
      await Promise.all(texts.map(append))
      expect((await readTexts(subject.queue, topic)).toSorted()).toEqual(texts.toSorted())
    })

    it('does not wait for transactions that are open in other topics', async () => {
      const open = await beginLarge(subject, await subject.openWriter(), await subject.createTopic())
      const topic = await subject.createTopic({ cleanup: 'compact' })
      await subject.queue.append([textRecord(topic, 'at once', { key: Buffer.from('key') })])
      expect(await readTexts(subject.other, topic)).toEqual(['at once'])
      await open.abort()
    })

    it('keeps the order of its calls, whether they are awaited or not', async () => {
      const topic = await subject.createTopic()
      await Promise.all(numbered(20).map((text) => subject.queue.append([textRecord(topic, text)])))
      expect(await readTexts(subject.other, topic)).toEqual(numbered(20))
    })

    it('accepts more records than one batch holds', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const texts = numbered(3_000).map((text) => `${text} ${'x'.repeat(500)}`)
      await subject.queue.append(texts.map((text, index) => textRecord(topic, text, { partition: index % 2 })))
      for (const partition of [0, 1]) {
        const own = texts.filter((_, index) => index % 2 === partition)
        expect(await readTexts(subject.other, topic, partition)).toEqual(own)
      }
    })

    it('without records does nothing', async () => {
      await subject.queue.append([])
    })

    it('refuses all its records if one is too large or its topic does not exist', async () => {
      const topic = await subject.createTopic()
      const good = textRecord(topic, 'good')
      const large = { topic, key: null, value: Buffer.alloc(20 << 20), time: 1 }
      await expect(subject.queue.append([good, large])).rejects.toThrow(RecordTooLargeError)
      for (const nowhere of [{ topic: uniqueName() }, { partition: 1 }, { partition: -1 }]) {
        const refused = subject.queue.append([good, textRecord(topic, 'nowhere', nowhere)])
        await expect(refused).rejects.toThrow(UnknownTopicError)
      }
      expect(await readAll(subject.other, topic)).toEqual([])
    })
  })
}

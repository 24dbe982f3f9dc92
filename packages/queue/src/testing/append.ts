import { describe, expect, it } from 'vitest'
import { RecordTooLargeError, UnknownTopicError } from '../errors.ts'
import { readAll, readTexts, type Subject, textRecord, uniqueName } from './subject.ts'

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

    it('loses nothing where several do it at once', async () => {
      const topic = await subject.createTopic()
      const texts = Array.from({ length: 40 }, (_, index) => `${index}`)
      const append = (text: string, index: number) =>
        (index % 2 === 0 ? subject.queue : subject.other).append([textRecord(topic, text)])
      await Promise.all(texts.map(append))
      expect((await readTexts(subject.queue, topic)).toSorted()).toEqual(texts.toSorted())
    })

    it('does not wait for an open transaction', async () => {
      const open = (await subject.openWriter()).begin()
      open.send(textRecord(await subject.createTopic(), 'open'))
      const topic = await subject.createTopic({ cleanup: 'compact' })
      await subject.queue.append([textRecord(topic, 'at once', { key: Buffer.from('key') })])
      expect(await readTexts(subject.other, topic)).toEqual(['at once'])
      await open.abort()
    })

    it('of nothing does nothing', async () => {
      await subject.queue.append([])
    })

    it('refuses a record that is too large or has nowhere to go', async () => {
      const topic = await subject.createTopic()
      const large = { topic, key: null, value: Buffer.alloc(20 << 20), time: 1 }
      await expect(subject.queue.append([large])).rejects.toThrow(RecordTooLargeError)
      await expect(subject.queue.append([textRecord(uniqueName(), 'nowhere')])).rejects.toThrow(UnknownTopicError)
      await expect(subject.queue.append([textRecord(topic, 'x', { partition: 1 })])).rejects.toThrow(UnknownTopicError)
      expect(await readAll(subject.other, topic)).toEqual([])
    })
  })
}

import { describe, expect, it } from 'vitest'
import { RecordTooLargeError, UnknownTopicError } from '../errors.ts'
import type { Writer } from '../queue.ts'
import { commitTexts, readAll, readTexts, type Subject, textOf, textRecord, uniqueName } from './subject.ts'

export function describeTransactions(subject: Subject): void {
  describe('a transaction', () => {
    it('is seen by nobody before its commit and by everybody after it, in all its topics and partitions', async () => {
      const topics = [await subject.createTopic({ partitions: 2 }), await subject.createTopic()] as const
      const places = [
        [topics[0], 0],
        [topics[0], 1],
        [topics[1], 0],
      ] as const
      const writer = await subject.openWriter()
      const transaction = writer.begin()
      for (const [topic, partition] of places) transaction.send(textRecord(topic, `${partition}`, { partition }))
      for (const queue of [subject.queue, subject.other]) {
        for (const [topic, partition] of places) expect(await readAll(queue, topic, partition)).toEqual([])
      }
      await transaction.commit()
      for (const queue of [subject.queue, subject.other]) {
        for (const [topic, partition] of places)
          expect(await readTexts(queue, topic, partition)).toEqual([`${partition}`])
      }
    })

    it('leaves nothing when it is aborted, and the next one goes on', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      await commitTexts(writer, topic, ['before'])
      const aborted = writer.begin()
      for (let index = 0; index < 2_000; index++) aborted.send(textRecord(topic, `aborted ${index}`))
      await aborted.abort()
      expect(await readTexts(subject.other, topic)).toEqual(['before'])
      await commitTexts(writer, topic, ['after'])
      expect(await readTexts(subject.other, topic)).toEqual(['before', 'after'])
    })

    it('keeps the order of each partition, however many records it has', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const writer = await subject.openWriter()
      const sent: string[][] = [[], []]
      for (let round = 0; round < 2; round++) {
        const transaction = writer.begin()
        for (let index = 0; index < 6_000; index++) {
          const partition = index % 3 === 0 ? 1 : 0
          const text = `${round}/${index} ${'x'.repeat(100)}`
          sent[partition]!.push(text)
          transaction.send(textRecord(topic, text, { partition }))
        }
        await transaction.commit()
      }
      for (const partition of [0, 1]) expect(await readTexts(subject.other, topic, partition)).toEqual(sent[partition])
    })

    it('follows the one before it in every partition', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const texts = Array.from({ length: 20 }, (_, index) => `${index}`)
      for (const text of texts) await commitTexts(writer, topic, [text])
      const records = await readAll(subject.other, topic)
      expect(records.map(textOf)).toEqual(texts)
      expect(records.map(({ offset }) => offset)).toEqual(
        records.map(({ offset }) => offset).toSorted((a, b) => (a < b ? -1 : 1)),
      )
    })

    it('copies what it is sent, so that its bytes may be used again', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const bytes = Buffer.from('first')
      const transaction = writer.begin()
      transaction.send({ topic, key: bytes, value: bytes, headers: [{ key: 'h', value: bytes }], time: 1 })
      bytes.fill('x')
      await transaction.commit()
      const [record] = await readAll(subject.other, topic)
      for (const sent of [record?.key, record?.value, record?.headers[0]?.value]) {
        expect(Buffer.from(sent ?? []).toString()).toBe('first')
      }
    })

    it('without records is committed and aborted without a trace', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      await writer.begin().commit()
      await writer.begin().abort()
      await commitTexts(writer, topic, ['then'])
      expect(await readTexts(subject.other, topic)).toEqual(['then'])
    })

    it('goes on without a record that is too large', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const transaction = writer.begin()
      transaction.send(textRecord(topic, 'before'))
      const large = { topic, key: null, value: Buffer.alloc(20 << 20), time: 1 }
      expect(() => transaction.send(large)).toThrow(RecordTooLargeError)
      expect(() => transaction.send(large)).toThrow(expect.objectContaining({ topic, limit: expect.any(Number) }))
      transaction.send(textRecord(topic, 'after'))
      await transaction.commit()
      expect(await readTexts(subject.other, topic)).toEqual(['before', 'after'])
    })

    it.each([
      ['topic', (_: string) => ({ topic: uniqueName() })],
      ['partition', (topic: string) => ({ topic, partition: 1 })],
    ])('takes no record for a %s that does not exist, by its commit at the latest', async (_, place) => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const transaction = writer.begin()
      transaction.send(textRecord(topic, 'never'))
      await expect(
        (async () => {
          transaction.send(textRecord(topic, 'nowhere', place(topic)))
          await transaction.commit()
        })(),
      ).rejects.toThrow(UnknownTopicError)
      await transaction.abort()
      expect(await readAll(subject.other, topic)).toEqual([])
    })

    it('is the only one of its writer until it has ended', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const transaction = writer.begin()
      expect(() => writer.begin()).toThrow(TypeError)
      transaction.send(textRecord(topic, 'kept'))
      await transaction.commit()
      expect(() => transaction.send(textRecord(topic, 'too late'))).toThrow(TypeError)
      await expect(transaction.commit()).rejects.toThrow(TypeError)
      await writer.begin().abort()
      expect(await readTexts(subject.other, topic)).toEqual(['kept'])
    })

    it('is aborted when its writer is closed', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      leaveOpen(writer, topic)
      await writer.close()
      expect(() => writer.begin()).toThrow(TypeError)
      expect(await readAll(subject.other, topic)).toEqual([])
    })

    it('of one writer does not disturb that of another', async () => {
      const topic = await subject.createTopic()
      const [first, second] = [await subject.openWriter(), await subject.openWriter()]
      leaveOpen(first, topic)
      await commitTexts(second, topic, ['second'])
      await first.close()
      expect(await readTexts(subject.other, topic)).toEqual(['second'])
    })
  })
}

function leaveOpen(writer: Writer, topic: string): void {
  writer.begin().send(textRecord(topic, 'never committed'))
}

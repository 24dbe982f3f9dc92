import { describe, expect, it } from 'vitest'
import { FencedError } from '../../src/errors.ts'
import { type Compression, compressions } from '../../src/record-batch/compression.ts'
import { beginLarge } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { commitTexts, readTexts, textRecord, uniqueName } from './text-records.ts'

export function describeWriter(subject: Subject): void {
  describe('Writer.begin', () => {
    it('is refused while a transaction of the writer is open', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const transaction = writer.begin()
      expect(() => writer.begin()).toThrow(TypeError)
      transaction.send(textRecord(topic, 'kept'))
      await transaction.commit()
      await writer.begin().abort()
      await writer.begin().abort()
      expect(await readTexts(subject.other, topic)).toEqual(['kept'])
    })

    it('takes no lock and delays no other writer while its transaction is empty', async () => {
      const topic = await subject.createTopic()
      const idle = (await subject.openWriter()).begin()
      await commitTexts(await subject.openWriter(), topic, ['another'])
      await subject.queue.append([textRecord(topic, 'appended')])
      expect(await readTexts(subject.other, topic)).toEqual(['another', 'appended'])
      await idle.abort()
    })
  })

  describe('WriterOptions.compression', () => {
    it('compresses the batches of the named topics, and readers get the same records', async () => {
      const topics = new Map<string, Compression>()
      for (const compression of compressions) topics.set(await subject.createTopic(), compression)
      const writer = await subject.openWriter({ compression: topics })
      const texts = Array.from({ length: 3 }, (_, index) => `${index} ${'many words, the same words, '.repeat(6_000)}`)
      for (const topic of topics.keys()) await commitTexts(writer, topic, [...texts, 'short'])
      for (const [topic, compression] of topics) {
        expect(await readTexts(subject.other, topic)).toEqual([...texts, 'short'])
        const { batches } = await subject.other.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 << 20 })
        const isSmall = batches[0]!.byteLength < texts[0]!.length / 10
        expect([compression, isSmall]).toEqual([compression, compression !== 'none'])
      }
    })
  })

  describe('Writer.close', () => {
    it('aborts the open transaction and releases the writer', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const open = await beginLarge(subject, writer, topic)
      await writer.close()
      expect(() => writer.begin()).toThrow(TypeError)
      await expect(open.commit()).rejects.toThrow()
      await commitTexts(await subject.openWriter(), topic, ['of another'])
      expect(await readTexts(subject.other, topic)).toEqual(['of another'])
    })

    it('waits for a running commit', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const transaction = writer.begin()
      transaction.send(textRecord(topic, 'committed'))
      const committed = transaction.commit()
      await writer.close()
      await committed
      expect(await readTexts(subject.other, topic)).toEqual(['committed'])
    })

    it('may be called again, even after the writer was fenced', async () => {
      const id = uniqueName()
      const older = await subject.queue.openWriter({ id, claim: uniqueName() })
      const topic = await subject.createTopic()
      const open = older.begin()
      open.send(textRecord(topic, 'never'))
      await subject.other.openWriter({ id, claim: uniqueName() })
      await expect(open.commit()).rejects.toThrow(FencedError)
      await older.close()
      await older.close()
      expect(await readTexts(subject.other, topic)).toEqual([])
    })
  })
}

import { describe, expect, it } from 'vitest'
import { FencedError } from '../../src/errors.ts'
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

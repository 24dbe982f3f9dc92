import { describe, expect, it } from 'vitest'
import { FencedError, TransactionAbortedError } from '../../src/errors.ts'
import type { Writer } from '../../src/queue.ts'
import { beginLarge } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { commitTexts, readTexts, textRecord, uniqueName } from './text-records.ts'

export function describeOpenWriter(subject: Subject): void {
  describe('openWriter', () => {
    it('fences every earlier writer of its id, whose open transactions never become visible', async () => {
      const topic = await subject.createTopic()
      const id = uniqueName()
      const older = await subject.queue.openWriter({ id, claim: uniqueName() })
      await commitTexts(older, topic, ['older'])
      const open = await beginLarge(subject, older, topic)
      const newer = await subject.other.openWriter({ id, claim: uniqueName() })
      const refused = open.commit()
      await expect(refused).rejects.toThrow(FencedError)
      await expect(refused).rejects.toThrow(expect.objectContaining({ writerId: id }))
      await commitTexts(newer, topic, ['newer'])
      expect(await readTexts(subject.queue, topic)).toEqual(['older', 'newer'])
      await older.close()
      await commitTexts(newer, topic, ['still newer'])
      expect(await readTexts(subject.queue, topic)).toEqual(['older', 'newer', 'still newer'])
    })

    it('does not affect writers of other ids', async () => {
      const topic = await subject.createTopic()
      const first = await subject.openWriter()
      const second = await subject.openWriter()
      await commitTexts(first, topic, ['first'])
      await commitTexts(second, topic, ['second'])
      await commitTexts(first, topic, ['first again'])
      expect(await readTexts(subject.other, topic)).toEqual(['first', 'second', 'first again'])
    })

    it('may be called again by the run that claimed the id last', async () => {
      const topic = await subject.createTopic()
      const options = { id: uniqueName(), claim: uniqueName() }
      await commitTexts(await subject.queue.openWriter(options), topic, ['first'])
      await commitTexts(await subject.queue.openWriter(options), topic, ['again'])
      expect(await readTexts(subject.other, topic)).toEqual(['first', 'again'])
    })

    it('refuses a run if another run has claimed the id after it', async () => {
      const topic = await subject.createTopic()
      const id = uniqueName()
      const claim = uniqueName()
      await subject.queue.openWriter({ id, claim })
      const newer = await subject.other.openWriter({ id, claim: uniqueName() })
      await expect(subject.queue.openWriter({ id, claim })).rejects.toThrow(FencedError)
      await commitTexts(newer, topic, ['newer'])
      expect(await readTexts(subject.queue, topic)).toEqual(['newer'])
    })

    it('leaves one valid writer if two runs call it concurrently', async () => {
      const topic = await subject.createTopic()
      const id = uniqueName()
      const run = async (queue: typeof subject.queue, name: string): Promise<string> => {
        const writer = await queue.openWriter({ id, claim: uniqueName() })
        await commitWithRetries(writer, topic, `${name} first`)
        await commitWithRetries(writer, topic, `${name} second`)
        return name
      }
      const ended = await Promise.allSettled([run(subject.queue, 'one'), run(subject.other, 'two')])
      const failures = ended.filter((end) => end.status === 'rejected')
      for (const { reason } of failures) expect(reason).toBeInstanceOf(FencedError)
      // Both succeed if one has finished before the other claims the id.
      expect(failures.length).toBeLessThan(2)
      const texts = await readTexts(subject.queue, topic)
      for (const end of ended) {
        if (end.status !== 'fulfilled') continue
        const own = texts.filter((text) => text?.startsWith(end.value))
        expect(own).toEqual([`${end.value} first`, `${end.value} second`])
      }
      expect(new Set(texts)).toHaveLength(texts.length)
    })
  })
}

/** Commits a record, and retries after transient errors. */
async function commitWithRetries(writer: Writer, topic: string, text: string): Promise<void> {
  for (;;) {
    const transaction = writer.begin()
    transaction.send(textRecord(topic, text))
    try {
      return await transaction.commit()
    } catch (error) {
      if (!(error instanceof TransactionAbortedError)) throw error
      await transaction.abort()
    }
  }
}

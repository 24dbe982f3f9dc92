import { describe, expect, it } from 'vitest'
import { FencedError } from '../errors.ts'
import { commitTexts, readTexts, type Subject, textRecord, uniqueName } from './subject.ts'

export function describeFencing(subject: Subject): void {
  describe('a writer', () => {
    it('is fenced by a newer one of its id, and nothing of its open transaction is ever seen', async () => {
      const topic = await subject.createTopic()
      const id = uniqueName()
      const older = await subject.queue.openWriter({ id, claim: uniqueName() })
      await commitTexts(older, topic, ['older'])
      const open = older.begin()
      open.send(textRecord(topic, 'never'))
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

    it('of another id is not fenced', async () => {
      const topic = await subject.createTopic()
      const first = await subject.openWriter()
      const second = await subject.openWriter()
      await commitTexts(first, topic, ['first'])
      await commitTexts(second, topic, ['second'])
      await commitTexts(first, topic, ['first again'])
      expect(await readTexts(subject.other, topic)).toEqual(['first', 'second', 'first again'])
    })

    it('may be opened again by the run that claimed its id last', async () => {
      const topic = await subject.createTopic()
      const options = { id: uniqueName(), claim: uniqueName() }
      await commitTexts(await subject.queue.openWriter(options), topic, ['first'])
      await commitTexts(await subject.queue.openWriter(options), topic, ['again'])
      expect(await readTexts(subject.other, topic)).toEqual(['first', 'again'])
    })

    it('is not opened again by a run whose claim another has followed: they would fence each other in turns', async () => {
      const topic = await subject.createTopic()
      const id = uniqueName()
      const claim = uniqueName()
      await subject.queue.openWriter({ id, claim })
      const newer = await subject.other.openWriter({ id, claim: uniqueName() })
      await expect(subject.queue.openWriter({ id, claim })).rejects.toThrow(FencedError)
      await commitTexts(newer, topic, ['newer'])
      expect(await readTexts(subject.queue, topic)).toEqual(['newer'])
    })
  })
}

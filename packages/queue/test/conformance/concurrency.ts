import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'
import { commitTexts, numbered, readTexts, textOf, textRecord, textsOf } from './text-records.ts'

export function describeConcurrency(subject: Subject): void {
  describe('all methods', () => {
    it('may be called concurrently', async () => {
      const { queue, other } = subject
      const [written, appended, fixed] = [
        await subject.createTopic({ partitions: 2 }),
        await subject.createTopic({ cleanup: 'compact' }),
        await subject.createTopic(),
      ]
      await queue.append(numbered(3).map((text) => textRecord(fixed, text, { time: Number(text) })))
      const key = Buffer.from('key')
      const stop = new AbortController()

      const write = async (partition: number) => {
        const writer = await subject.openWriter()
        for (const text of numbered(10)) await commitTexts(writer, written, [text], { partition })
        await writer.close()
      }
      const append = async () => {
        for (const text of numbered(10)) await queue.append([textRecord(appended, text, { key })])
      }
      const follow = async () => {
        const texts: (string | null)[] = []
        for await (const batch of other.follow([{ topic: written, partition: 0, offset: 0n }], stop)) {
          texts.push(...Array.from(batch.records(), textOf))
          if (texts.length >= 10) return texts
        }
        return texts
      }
      const look = async (at: typeof queue) => {
        for (let round = 0; round < 5; round++) {
          expect(await at.describe([fixed])).toHaveLength(1)
          expect(textsOf((await at.read({ topic: fixed, partition: 0, offset: 1n }, { maxBytes: 1 })).batches)).toEqual(
            ['1', '2'],
          )
          expect(await at.offsetForTime(fixed, 0, 2)).toBe(2n)
          const latest = await at.latest(appended, 0, key)
          if (latest) expect(numbered(10)).toContain(textOf(latest))
          await at.deleteBefore(fixed, 0, 1n)
          await at.createTopics([{ name: fixed }])
        }
      }
      const [followed] = await Promise.all([follow(), write(0), write(1), append(), look(queue), look(other)])
      expect(followed).toEqual(numbered(10))
      for (const partition of [0, 1]) expect(await readTexts(other, written, partition)).toEqual(numbered(10))
      expect(await readTexts(other, appended)).toEqual(numbered(10))
    })
  })
}

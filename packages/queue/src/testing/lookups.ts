import { describe, expect, it } from 'vitest'
import type { Queue } from '../queue.ts'
import { commitTexts, readAll, type Subject, textOf, textRecord, uniqueName } from './subject.ts'

export function describeLookups(subject: Subject): void {
  describe('latest', () => {
    it('finds the newest committed record of a key in its partition', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact', partitions: 2 })
      const writer = await subject.openWriter()
      for (let round = 0; round < 5; round++) {
        const transaction = writer.begin()
        for (const key of ['a', 'b']) transaction.send(keyed(topic, key, `${key}${round}`))
        transaction.send(keyed(topic, 'a', `a${round} again`))
        if (round === 2) transaction.send(keyed(topic, 'early', 'only once'))
        await transaction.commit()
      }
      const aborted = writer.begin()
      aborted.send(keyed(topic, 'a', 'never'))
      await aborted.abort()
      expect(await latestText(subject.other, topic, 'a')).toBe('a4 again')
      expect(await latestText(subject.other, topic, 'b')).toBe('b4')
      expect(await latestText(subject.other, topic, 'early')).toBe('only once')
      expect(await subject.other.latest(topic, 0, Buffer.from('unknown'))).toBeUndefined()
      expect(await subject.other.latest(topic, 1, Buffer.from('a'))).toBeUndefined()
    })

    it('finds one key among many', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      const writer = await subject.openWriter()
      const keys = Array.from({ length: 300 }, (_, index) => `key ${index}`)
      for (let at = 0; at < keys.length; at += 30) {
        const transaction = writer.begin()
        for (const key of keys.slice(at, at + 30)) transaction.send(keyed(topic, key, `value of ${key}`))
        await transaction.commit()
      }
      for (const key of [keys[0]!, keys[123]!, keys[299]!]) {
        expect(await latestText(subject.other, topic, key)).toBe(`value of ${key}`)
      }
    })

    it('gives a tombstone as the record that it is', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      await subject.queue.append([keyed(topic, 'a', 'alive')])
      await subject.queue.append([{ ...keyed(topic, 'a', ''), value: null }])
      expect(await subject.other.latest(topic, 0, Buffer.from('a'))).toMatchObject({ topic, partition: 0, value: null })
    })

    it('is final for a writer that has fenced the one before', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      const id = uniqueName()
      const older = await subject.queue.openWriter({ id, claim: uniqueName() })
      for (const text of ['one', 'two']) {
        const transaction = older.begin()
        transaction.send(keyed(topic, id, text))
        await transaction.commit()
      }
      older.begin().send(keyed(topic, id, 'three'))
      await subject.other.openWriter({ id, claim: uniqueName() })
      expect(await latestText(subject.other, topic, id)).toBe('two')
    })
  })

  describe('offsetForTime', () => {
    it('finds the first record at or after a time', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      for (const times of [[1_000, 1_010, 1_010], [1_010, 1_020], [2_000], [3_000, 3_001, 3_002]]) {
        const transaction = writer.begin()
        for (const time of times) transaction.send(textRecord(topic, `${time}`, { time }))
        await transaction.commit()
        const aborted = writer.begin()
        aborted.send(textRecord(topic, 'never', { time: times.at(-1)! }))
        await aborted.abort()
      }
      const records = await readAll(subject.queue, topic)
      for (const time of [0, 1_000, 1_001, 1_010, 1_011, 1_020, 1_999, 2_000, 2_001, 3_001, 3_002]) {
        const first = records.find((record) => record.time >= time)
        expect(await subject.other.offsetForTime(topic, 0, time), `at ${time}`).toBe(first?.offset)
      }
      expect(await subject.other.offsetForTime(topic, 0, 3_003)).toBeUndefined()
    })

    it('finds nothing in an empty partition', async () => {
      expect(await subject.queue.offsetForTime(await subject.createTopic(), 0, 0)).toBeUndefined()
    })

    it('leaves out what has been deleted', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b', 'c'])
      const third = (await readAll(subject.queue, topic))[2]!
      await subject.queue.deleteBefore(topic, 0, third.offset)
      expect(await subject.other.offsetForTime(topic, 0, 0)).toBe(third.offset)
    })
  })
}

function keyed(topic: string, key: string, text: string) {
  return textRecord(topic, text, { key: Buffer.from(key) })
}

async function latestText(queue: Queue, topic: string, key: string): Promise<string | null | undefined> {
  const record = await queue.latest(topic, 0, Buffer.from(key))
  return record && textOf(record)
}

import { describe, expect, it } from 'vitest'
import { UnknownTopicError } from '../../src/errors.ts'
import type { NewRecord, Queue } from '../../src/queue.ts'
import { beginLarge } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { numbered, textOf, textRecord, uniqueName } from './text-records.ts'

export function describeLatest(subject: Subject): void {
  describe('latest', () => {
    it('finds the newest committed record of a key in its partition', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact', partitions: 2 })
      const writer = await subject.openWriter()
      for (let round = 0; round < 5; round++) {
        const transaction = writer.begin()
        for (const key of ['a', 'b']) transaction.send(keyed(topic, key, `${key}${round}`))
        transaction.send(keyed(topic, 'a', `a${round} again`))
        transaction.send({ ...keyed(topic, 'a', `a${round} elsewhere`), partition: 1 })
        if (round === 2) transaction.send(keyed(topic, 'early', 'only once'))
        await transaction.commit()
      }
      const aborted = writer.begin()
      aborted.send(keyed(topic, 'a', 'never'))
      await aborted.abort()
      expect(await latestText(subject.other, topic, 'a')).toBe('a4 again')
      expect(await latestText(subject.other, topic, 'b')).toBe('b4')
      expect(await latestText(subject.other, topic, 'early')).toBe('only once')
      expect(textOf((await subject.other.latest(topic, 1, Buffer.from('a')))!)).toBe('a4 elsewhere')
    })

    it('finds nothing if there is no record of the key', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact', partitions: 2 })
      expect(await subject.other.latest(topic, 0, Buffer.from('a'))).toBeUndefined()
      await subject.queue.append([keyed(topic, 'a', 'alive')])
      expect(await subject.other.latest(topic, 0, Buffer.from('b'))).toBeUndefined()
      expect(await subject.other.latest(topic, 1, Buffer.from('a'))).toBeUndefined()
    })

    it('finds one key among many, even the oldest', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      const keys = numbered(2_000).map((number) => `key ${number}`)
      for (let at = 0; at < keys.length; at += 500) {
        await subject.queue.append(keys.slice(at, at + 500).map((key) => keyed(topic, key, `value of ${key}`)))
      }
      for (const key of [keys[0]!, keys[123]!, keys.at(-1)!]) {
        expect(await latestText(subject.other, topic, key)).toBe(`value of ${key}`)
      }
    })

    it('returns a tombstone as a record', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      await subject.queue.append([keyed(topic, 'a', 'alive')])
      await subject.queue.append([{ ...keyed(topic, 'a', ''), value: null }])
      expect(await subject.other.latest(topic, 0, Buffer.from('a'))).toMatchObject({ topic, partition: 0, value: null })
      await subject.queue.append([keyed(topic, 'a', 'alive again')])
      expect(await latestText(subject.other, topic, 'a')).toBe('alive again')
    })

    it('is final: it finds records that were committed after the start of an open transaction', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      const [other, own] = [await subject.openWriter(), await subject.openWriter()]
      const open = await beginLarge(subject, other, topic)
      for (const text of ['one', 'two']) {
        const transaction = own.begin()
        transaction.send(keyed(topic, 'own', text))
        await transaction.commit()
      }
      const asked = latestText(subject.other, topic, 'own')
      await open.commit()
      expect(await asked).toBe('two')
    })

    it('is final for a writer that has fenced the previous one: the fenced writer cannot commit any more', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      const id = uniqueName()
      const older = await subject.queue.openWriter({ id, claim: uniqueName() })
      for (const text of ['one', 'two']) {
        const transaction = older.begin()
        transaction.send(keyed(topic, id, text))
        await transaction.commit()
      }
      const open = await beginLarge(subject, older, topic, id)
      await subject.other.openWriter({ id, claim: uniqueName() })
      expect(await latestText(subject.other, topic, id)).toBe('two')
      await expect(open.commit()).rejects.toThrow()
      expect(await latestText(subject.other, topic, id)).toBe('two')
    })

    it('refuses a topic or a partition that does not exist', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      const key = Buffer.from('a')
      await expect(subject.queue.latest(uniqueName(), 0, key)).rejects.toThrow(UnknownTopicError)
      await expect(subject.queue.latest(topic, 1, key)).rejects.toThrow(UnknownTopicError)
    })
  })
}

function keyed(topic: string, key: string, text: string): NewRecord {
  return textRecord(topic, text, { key: Buffer.from(key) })
}

async function latestText(queue: Queue, topic: string, key: string): Promise<string | null | undefined> {
  const record = await queue.latest(topic, 0, Buffer.from(key))
  return record && textOf(record)
}

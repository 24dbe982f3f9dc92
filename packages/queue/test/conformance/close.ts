import { describe, expect, it } from 'vitest'
import { QueueUnavailableError } from '../../src/errors.ts'
import type { Queue } from '../../src/queue.ts'
import { beginLarge } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { commitTexts, readTexts, textRecord, uniqueName } from './text-records.ts'

export function describeClose(subject: Subject): void {
  describe('close', () => {
    it('closes open writers without committing', async () => {
      const topic = await subject.createTopic()
      const queue = await subject.open()
      const writer = await queue.openWriter({ id: uniqueName(), claim: uniqueName() })
      const open = await beginLarge(subject, writer, topic)
      await queue.close()
      expect(() => writer.begin()).toThrow(TypeError)
      await expect(open.commit()).rejects.toThrow()
      await commitTexts(await subject.openWriter(), topic, ['later'])
      expect(await readTexts(subject.other, topic)).toEqual(['later'])
    })

    it('ends every follow without an error, waiting or not started', async () => {
      const topic = await subject.createTopic()
      await subject.queue.append([textRecord(topic, 'a')])
      const queue = await subject.open()
      const follow = () => queue.follow([{ topic, partition: 0, offset: 0n }], new AbortController())
      const followed = follow()[Symbol.asyncIterator]()
      await followed.next()
      const waiting = followed.next()
      await queue.close()
      expect(await waiting).toEqual({ done: true, value: undefined })
      expect(await follow()[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
    })

    it('rejects a waiting read', async () => {
      const topic = await subject.createTopic()
      const queue = await subject.open()
      const waiting = queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1, maxWaitMs: 30_000 })
      const refused = expect(waiting).rejects.toThrow(QueueUnavailableError)
      await queue.close()
      await refused
    })

    it('refuses every later call', async () => {
      const topic = await subject.createTopic()
      await subject.queue.append([textRecord(topic, 'kept')])
      const queue = await subject.open()
      await queue.close()
      const calls: [string, (queue: Queue, topic: string) => Promise<unknown>][] = [
        ['createTopics', (queue) => queue.createTopics([{ name: uniqueName() }])],
        ['describe', (queue, topic) => queue.describe([topic])],
        ['openWriter', (queue) => queue.openWriter({ id: uniqueName(), claim: uniqueName() })],
        ['append', (queue, topic) => queue.append([textRecord(topic, 'late')])],
        ['read', (queue, topic) => queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 })],
        ['latest', (queue, topic) => queue.latest(topic, 0, Buffer.from('key'))],
        ['offsetForTime', (queue, topic) => queue.offsetForTime(topic, 0, 0)],
        ['deleteBefore', (queue, topic) => queue.deleteBefore(topic, 0, 1n)],
      ]
      for (const [name, call] of calls) {
        await expect(call(queue, topic), name).rejects.toThrow(QueueUnavailableError)
      }
      expect(await readTexts(subject.other, topic)).toEqual(['kept'])
    })

    it('may be called again and does not affect other queues on the storage', async () => {
      const topic = await subject.createTopic()
      const queue = await subject.open()
      await Promise.all([queue.close(), queue.close()])
      await queue.close()
      await commitTexts(await subject.openWriter(), topic, ['a'])
      expect(await readTexts(subject.other, topic)).toEqual(['a'])
    })
  })
}

import { describe, expect, it } from 'vitest'
import { UnknownTopicError } from '../../src/errors.ts'
import { beginLarge } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { boundsOf, textRecord, uniqueName } from './text-records.ts'

export function describeHighWatermark(subject: Subject): void {
  describe('highWatermark', () => {
    it('is the end if no transaction is open', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      await subject.queue.append([textRecord(topic, 'a', { partition: 1 })])
      expect(await subject.other.highWatermark(topic, 0)).toBe(0n)
      expect(await subject.other.highWatermark(topic, 1)).toBe(1n)
    })

    it('is after committed records that cannot be read yet because of an open transaction', async () => {
      const topic = await subject.createTopic({ cleanup: 'compact' })
      const open = await beginLarge(subject, await subject.openWriter(), topic)
      const own = (await subject.openWriter()).begin()
      own.send(textRecord(topic, 'own', { key: Buffer.from('own') }))
      await own.commit()
      const reached = await subject.other.highWatermark(topic, 0)
      expect(reached).toBeGreaterThanOrEqual((await boundsOf(subject.other, topic)).end)
      await open.abort()
      expect(await lastOffset(subject, topic)).toBeLessThan(reached)
    })

    it('refuses a topic or a partition that does not exist', async () => {
      const topic = await subject.createTopic()
      await expect(subject.queue.highWatermark(uniqueName(), 0)).rejects.toThrow(UnknownTopicError)
      await expect(subject.queue.highWatermark(topic, 1)).rejects.toThrow(UnknownTopicError)
    })
  })
}

async function lastOffset({ other }: Subject, topic: string): Promise<bigint> {
  return (await other.latest(topic, 0, Buffer.from('own')))!.offset
}

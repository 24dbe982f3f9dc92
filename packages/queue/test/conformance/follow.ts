import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PositionLostError, UnknownTopicError } from '../../src/errors.ts'
import type { PartitionOffset, Queue } from '../../src/queue.ts'
import { beginLarge } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { commitTexts, describeOne, numbered, textOf, textRecord, uniqueName } from './text-records.ts'

export function describeFollow(subject: Subject): void {
  describe('follow', () => {
    it('yields existing records and then, without a gap, those that another queue commits', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const texts = numbered(15)
      for (const text of texts.slice(0, 5)) await commitTexts(writer, topic, [text])
      const followed = collect(subject.other, [start(topic)], texts.length)
      for (const text of texts.slice(5, 10)) await commitTexts(writer, topic, [text])
      await (await beginLarge(subject, writer, topic)).abort()
      for (const text of texts.slice(10)) await commitTexts(writer, topic, [text])
      expect((await followed).map(({ text }) => text)).toEqual(texts)
    })

    it('yields the records that its own queue commits', async () => {
      const topic = await subject.createTopic()
      const followed = collect(subject.queue, [start(topic)], 2)
      for (const text of ['a', 'b']) await subject.queue.append([textRecord(topic, text)])
      expect((await followed).map(({ text }) => text)).toEqual(['a', 'b'])
    })

    it('starts at exactly the requested record, even within a batch', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      await subject.queue.append(numbered(10).map((text) => textRecord(topic, text, { partition: 1 })))
      const followed = await collect(subject.other, [{ topic, partition: 1, offset: 7n }], 3)
      expect(followed.map(({ text }) => text)).toEqual(['7', '8', '9'])
    })

    it('keeps the order of each of many partitions', async () => {
      const topics = [await subject.createTopic({ partitions: 16 }), await subject.createTopic()] as const
      const places = [start(topics[1]), ...numbered(16).map((_, partition) => start(topics[0], partition))]
      const followed = collect(subject.other, places, 8 * places.length)
      const writer = await subject.openWriter()
      for (const text of numbered(8)) {
        const transaction = writer.begin()
        for (const { topic, partition } of places) transaction.send(textRecord(topic, text, { partition }))
        await transaction.commit()
      }
      const records = await followed
      for (const place of places) {
        const ofPlace = records.filter(({ topic, partition }) => topic === place.topic && partition === place.partition)
        expect(ofPlace.map(({ text }) => text)).toEqual(numbered(8))
      }
    })

    it('does not let a partition wait for the long history of another', async () => {
      const [long, short] = [await subject.createTopic(), await subject.createTopic()]
      for (let round = 0; round < 20; round++) {
        // Random bytes cannot be compressed.
        const records = numbered(8).map(() => ({ topic: long, key: null, value: randomBytes(40_000), time: 1 }))
        await subject.queue.append(records)
      }
      await subject.queue.append([textRecord(short, 'short')])
      let ofLong = 0
      for await (const batch of subject.other.follow([start(long), start(short)], new AbortController())) {
        if (batch.topic === short) break
        ofLong += [...batch.records()].length
      }
      expect(ofLong).toBeLessThan(160)
    })

    it('may be called many times concurrently, even for the same position', async () => {
      const topic = await subject.createTopic()
      const followed = numbered(5).map(() => collect(subject.other, [start(topic)], 2))
      for (const text of ['a', 'b']) await subject.queue.append([textRecord(topic, text)])
      for (const records of await Promise.all(followed)) expect(records.map(({ text }) => text)).toEqual(['a', 'b'])
    })

    it('ends without an error when its signal is aborted: before it starts, while it waits, or between two batches', async () => {
      const topic = await subject.createTopic()
      await subject.queue.append([textRecord(topic, 'a')])
      const controller = new AbortController()
      const followed = subject.queue.follow([start(topic)], controller)[Symbol.asyncIterator]()
      expect((await followed.next()).done).toBe(false)
      const waiting = followed.next()
      controller.abort()
      expect(await waiting).toEqual({ done: true, value: undefined })
      expect(await followed.next()).toEqual({ done: true, value: undefined })
      const again = subject.queue.follow([start(topic)], controller)
      expect(await again[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
    })

    it('ends when its reader stops, and may be started again', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a'])
      for (let round = 0; round < 3; round++) {
        for await (const batch of subject.other.follow([start(topic)], new AbortController())) {
          expect(Array.from(batch.records(), textOf)).toEqual(['a'])
          break
        }
      }
    })

    it('ends immediately without positions', async () => {
      expect(await collect(subject.queue, [], 1)).toEqual([])
    })

    it('refuses an offset before the earliest or after the end', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b', 'c'])
      await subject.queue.deleteBefore(topic, 0, 1n)
      for (const offset of [0n, 100n]) {
        await expect(collect(subject.other, [{ topic, partition: 0, offset }], 1)).rejects.toThrow(PositionLostError)
      }
    })

    it('refuses an offset of a deleted topic with the same name', async () => {
      const topic = await subject.createTopic()
      const { id: topicId } = await describeOne(subject.queue, await subject.createTopic())
      await expect(collect(subject.other, [{ ...start(topic), topicId }], 1)).rejects.toThrow(PositionLostError)
    })

    it('refuses a topic or a partition that does not exist', async () => {
      const topic = await subject.createTopic()
      for (const place of [start(uniqueName()), start(topic, 1)]) {
        await expect(collect(subject.queue, [start(topic), place], 1)).rejects.toThrow(UnknownTopicError)
      }
    })
  })
}

function start(topic: string, partition = 0): PartitionOffset {
  return { topic, partition, offset: 0n }
}

interface Followed {
  readonly topic: string
  readonly partition: number
  readonly text: string | null
}

/** The first `count` records, and others that arrive in the same batch. */
async function collect(queue: Queue, positions: readonly PartitionOffset[], count: number): Promise<Followed[]> {
  const controller = new AbortController()
  const records: Followed[] = []
  for await (const batch of queue.follow(positions, controller)) {
    for (const record of batch.records()) {
      records.push({ topic: batch.topic, partition: batch.partition, text: textOf(record) })
    }
    if (records.length >= count) controller.abort()
  }
  return records
}

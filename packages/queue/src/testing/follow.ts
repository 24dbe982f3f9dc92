import { describe, expect, it } from 'vitest'
import { PositionLostError } from '../errors.ts'
import type { PartitionOffset, Queue } from '../queue.ts'
import { commitTexts, type Subject, textOf, textRecord } from './subject.ts'

export function describeFollow(subject: Subject): void {
  describe('follow', () => {
    it('yields what is there and then, without a seam, what another queue commits', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const texts = Array.from({ length: 60 }, (_, index) => `${index}`)
      for (const text of texts.slice(0, 20)) await commitTexts(writer, topic, [text])
      const followed = collect(subject.other, [{ topic, partition: 0, offset: 0n }], texts.length)
      for (const text of texts.slice(20, 40)) await commitTexts(writer, topic, [text])
      const aborted = writer.begin()
      aborted.send(textRecord(topic, 'never'))
      await aborted.abort()
      await commitTexts(writer, topic, texts.slice(40))
      expect((await followed).map(({ text }) => text)).toEqual(texts)
    })

    it('yields what its own queue commits', async () => {
      const topic = await subject.createTopic()
      const followed = collect(subject.queue, [{ topic, partition: 0, offset: 0n }], 2)
      for (const text of ['a', 'b']) await subject.queue.append([textRecord(topic, text)])
      expect((await followed).map(({ text }) => text)).toEqual(['a', 'b'])
    })

    it('keeps the order of every partition that it follows', async () => {
      const topics = [await subject.createTopic({ partitions: 2 }), await subject.createTopic()] as const
      const places = [
        { topic: topics[0], partition: 0 },
        { topic: topics[0], partition: 1 },
        { topic: topics[1], partition: 0 },
      ]
      const followed = collect(
        subject.other,
        places.map((place) => ({ ...place, offset: 0n })),
        90,
      )
      const writer = await subject.openWriter()
      for (let round = 0; round < 30; round++) {
        const transaction = writer.begin()
        for (const { topic, partition } of places) transaction.send(textRecord(topic, `${round}`, { partition }))
        await transaction.commit()
      }
      const records = await followed
      for (const place of places) {
        const ofPlace = records.filter(({ topic, partition }) => topic === place.topic && partition === place.partition)
        expect(ofPlace.map(({ text }) => text)).toEqual(Array.from({ length: 30 }, (_, round) => `${round}`))
      }
    })

    it('ends quietly when its signal is aborted', async () => {
      const topic = await subject.createTopic()
      const controller = new AbortController()
      const followed = subject.queue.follow([{ topic, partition: 0, offset: 0n }], controller)
      const first = followed[Symbol.asyncIterator]().next()
      controller.abort()
      expect(await first).toEqual({ done: true, value: undefined })
      const again = subject.queue.follow([{ topic, partition: 0, offset: 0n }], controller)
      expect(await again[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
    })

    it('refuses an offset that cannot be read', async () => {
      const topic = await subject.createTopic()
      const { signal } = new AbortController()
      const lost = subject.queue.follow([{ topic, partition: 0, offset: 10n }], { signal })
      await expect(lost[Symbol.asyncIterator]().next()).rejects.toThrow(PositionLostError)
    })
  })
}

interface Followed {
  readonly topic: string
  readonly partition: number
  readonly text: string | null
}

/** The first `count` records that are followed, and any more that come with the last of them. */
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

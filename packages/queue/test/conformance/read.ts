import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PositionLostError, UnknownTopicError } from '../../src/errors.ts'
import { beginLarge, whereTransactionsAreStored } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import {
  boundsOf,
  commitTexts,
  describeOne,
  numbered,
  readAll,
  readTexts,
  textOf,
  textRecord,
  textsOf,
  uniqueName,
} from './text-records.ts'

export function describeRead(subject: Subject): void {
  const itWhereStored = whereTransactionsAreStored(subject)

  describe('read', () => {
    it('reads a partition page by page, for any content of the pages', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const writer = await subject.openWriter()
      const texts: string[] = []
      for (let round = 0; round < 8; round++) {
        const some = Array.from({ length: 50 }, (_, index) => `${round}/${index} ${'x'.repeat(80)}`)
        texts.push(...some)
        await commitTexts(writer, topic, some, { partition: 1 })
        const aborted = writer.begin()
        aborted.send(textRecord(topic, 'never', { partition: 1 }))
        await aborted.abort()
      }
      for (const maxBytes of [1, 10_000, 1 << 20]) {
        expect((await readAll(subject.other, topic, 1, maxBytes)).map(textOf)).toEqual(texts)
      }
      expect(await readAll(subject.other, topic, 0)).toEqual([])
    })

    it('skips invisible records', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      await commitTexts(writer, topic, ['before'])
      await (await beginLarge(subject, writer, topic)).abort()
      await commitTexts(writer, topic, ['after'])
      await (await beginLarge(subject, writer, topic)).abort()
      const { end } = await boundsOf(subject.other, topic)
      const texts: (string | null)[] = []
      for (let offset = 0n; offset < end; ) {
        const { batches, next } = await subject.other.read({ topic, partition: 0, offset }, { maxBytes: 1 })
        expect(next).toBeGreaterThan(offset)
        texts.push(...textsOf(batches))
        offset = next
      }
      expect(texts).toEqual(['before', 'after'])
    })

    itWhereStored('stops before the first open transaction, and names this as the end', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      await commitTexts(writer, topic, ['before'])
      const { end } = await boundsOf(subject.other, topic)
      const open = await beginLarge(subject, writer, topic)
      await subject.queue.append([textRecord(topic, 'after')])
      expect(await boundsOf(subject.other, topic)).toEqual({ earliest: 0n, end })
      const read = await subject.other.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 << 20 })
      expect(textsOf(read.batches)).toEqual(['before'])
      expect(read.end).toBe(end)
      await open.abort()
      expect(await readTexts(subject.other, topic)).toEqual(['before', 'after'])
    })

    it('starts at exactly the requested record, even within a batch', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b', 'c', 'd'])
      const records = await readAll(subject.queue, topic)
      for (const [index, { offset }] of records.entries()) {
        const { batches } = await subject.other.read({ topic, partition: 0, offset }, { maxBytes: 1 << 20 })
        expect(textsOf(batches)).toEqual(['a', 'b', 'c', 'd'].slice(index))
        expect(batches[0]?.baseOffset).toBe(offset)
      }
    })

    it('returns batches with their position whose records can be read several times', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      await subject.queue.append([
        textRecord(topic, 'a', { partition: 1, time: 30 }),
        textRecord(topic, 'b', { partition: 1, time: 20 }),
      ])
      const { batches } = await subject.queue.read({ topic, partition: 1, offset: 0n }, { maxBytes: 1 << 20 })
      const [batch] = batches
      expect(batch).toMatchObject({ topic, partition: 1, baseOffset: 0n, nextOffset: 2n, maxTime: 30 })
      for (let walk = 0; walk < 2; walk++) {
        expect(Array.from(batch!.records(), ({ offset }) => offset)).toEqual([0n, 1n])
      }
    })

    it('returns at most maxBytes of batches, but at least one batch of any size', async () => {
      const topic = await subject.createTopic()
      // Random bytes cannot be compressed.
      for (const bytes of [10_000, 10_000, 10_000, 10_000, 900_000]) {
        await subject.queue.append([{ topic, key: null, value: randomBytes(bytes), time: 1 }])
      }
      const sizes = async (offset: bigint, maxBytes: number): Promise<(number | undefined)[]> => {
        const { batches } = await subject.other.read({ topic, partition: 0, offset }, { maxBytes })
        return batches.map((batch) => [...batch.records()][0]!.value?.length)
      }
      expect(await sizes(0n, 35_000)).toEqual([10_000, 10_000, 10_000])
      expect(await sizes(0n, 1)).toEqual([10_000])
      expect(await sizes(4n, 1)).toEqual([900_000])
    })

    it('returns nothing at the end without waiting, and reports the end', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a'])
      const { end } = await boundsOf(subject.queue, topic)
      const result = await subject.queue.read({ topic, partition: 0, offset: end }, { maxBytes: 1 << 20 })
      expect(result).toEqual({ batches: [], next: end, end })
    })

    it('refuses an offset before the earliest or after the end, and names both', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b', 'c'])
      await subject.queue.deleteBefore(topic, 0, 1n)
      const { earliest, end } = await boundsOf(subject.queue, topic)
      for (const offset of [-1n, 0n, end + 10n]) {
        const lost = subject.other.read({ topic, partition: 0, offset }, { maxBytes: 1 })
        await expect(lost).rejects.toThrow(PositionLostError)
        await expect(lost).rejects.toThrow(expect.objectContaining({ topic, partition: 0, offset, earliest, end }))
      }
      expect(await readTexts(subject.queue, topic)).toEqual(['b', 'c'])
    })

    it('refuses an offset of a deleted topic with the same name', async () => {
      const topic = await subject.createTopic()
      await subject.queue.append([textRecord(topic, 'a')])
      const { id } = await describeOne(subject.queue, topic)
      const of = (topicId: string) =>
        subject.other.read({ topic, partition: 0, offset: 0n, topicId }, { maxBytes: 1 << 20 })
      expect(textsOf((await of(id)).batches)).toEqual(['a'])
      const another = await describeOne(subject.queue, await subject.createTopic())
      await expect(of(another.id)).rejects.toThrow(PositionLostError)
    })

    it('refuses a topic or a partition that does not exist', async () => {
      const topic = await subject.createTopic()
      for (const place of [
        { topic: uniqueName(), partition: 0 },
        { topic, partition: 1 },
        { topic, partition: -1 },
      ]) {
        await expect(subject.queue.read({ ...place, offset: 0n }, { maxBytes: 1 })).rejects.toThrow(UnknownTopicError)
      }
    })
  })

  describe('read with maxWaitMs', () => {
    it('does not wait if there are records', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a'])
      const at = { topic, partition: 0, offset: 0n }
      const { batches } = await subject.other.read(at, { maxBytes: 1 << 20, maxWaitMs: 24 * 60 * 60_000 })
      expect(textsOf(batches)).toEqual(['a'])
    })

    it('waits at the end for records that another queue commits', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const at = { topic, partition: 1, offset: 0n }
      const waiting = subject.other.read(at, { maxBytes: 1 << 20, maxWaitMs: 30_000 })
      await subject.queue.append([textRecord(topic, 'elsewhere')])
      await subject.queue.append([textRecord(topic, 'awaited', { partition: 1 })])
      expect(textsOf((await waiting).batches)).toEqual(['awaited'])
    })

    it('continues to wait when a transaction is aborted', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const at = { topic, partition: 0, offset: 0n }
      const waiting = subject.other.read(at, { maxBytes: 1 << 20, maxWaitMs: 30_000 })
      await (await beginLarge(subject, writer, topic)).abort()
      await commitTexts(writer, topic, ['awaited'])
      expect(textsOf((await waiting).batches)).toEqual(['awaited'])
    })

    it('returns nothing when the time is over', async () => {
      const topic = await subject.createTopic()
      const at = { topic, partition: 0, offset: 0n }
      const result = await subject.queue.read(at, { maxBytes: 1 << 20, maxWaitMs: 50 })
      expect(result).toEqual({ batches: [], next: 0n, end: 0n })
    })

    it('rejects with the reason when its signal is aborted, while others continue to wait', async () => {
      const topic = await subject.createTopic()
      const controller = new AbortController()
      const at = { topic, partition: 0, offset: 0n }
      const limits = { maxBytes: 1 << 20, maxWaitMs: 30_000 }
      const other = subject.queue.read(at, limits)
      const waiting = subject.queue.read(at, { ...limits, signal: controller.signal })
      const refused = expect(waiting).rejects.toThrow('no longer wanted')
      controller.abort(new Error('no longer wanted'))
      await refused
      await expect(subject.queue.read(at, { ...limits, signal: controller.signal })).rejects.toThrow('no longer wanted')
      await subject.queue.append([textRecord(topic, 'awaited')])
      expect(textsOf((await other).batches)).toEqual(['awaited'])
    })

    it('serves many concurrent readers that wait', async () => {
      const topic = await subject.createTopic({ partitions: 16 })
      const waiting = numbered(16).map((_, partition) =>
        subject.other.read({ topic, partition, offset: 0n }, { maxBytes: 1 << 20, maxWaitMs: 30_000 }),
      )
      await subject.queue.append(numbered(16).map((text, partition) => textRecord(topic, text, { partition })))
      for (const [partition, { batches }] of (await Promise.all(waiting)).entries()) {
        expect(textsOf(batches)).toEqual([`${partition}`])
      }
    })
  })
}

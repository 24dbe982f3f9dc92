import { describe, expect, it } from 'vitest'
import { PositionLostError, UnknownTopicError } from '../errors.ts'
import { boundsOf, commitTexts, readAll, readTexts, type Subject, textOf, textRecord, uniqueName } from './subject.ts'

export function describeReading(subject: Subject): void {
  describe('read', () => {
    it('goes through a partition page by page, whatever the pages hold', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const texts: string[] = []
      for (let round = 0; round < 8; round++) {
        const some = Array.from({ length: 50 }, (_, index) => `${round}/${index} ${'x'.repeat(80)}`)
        texts.push(...some)
        await commitTexts(writer, topic, some)
        const aborted = writer.begin()
        aborted.send(textRecord(topic, 'never'))
        await aborted.abort()
      }
      for (const maxBytes of [1, 10_000, 1 << 20]) {
        expect((await readAll(subject.other, topic, 0, maxBytes)).map(textOf)).toEqual(texts)
      }
    })

    it('begins at the very record asked for, also within a batch', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b', 'c', 'd'])
      const records = await readAll(subject.queue, topic)
      for (const [index, { offset }] of records.entries()) {
        const { batches } = await subject.other.read({ topic, partition: 0, offset }, { maxBytes: 1 << 20 })
        const rest = batches.flatMap((batch) => [...batch.records()])
        expect(rest.map(textOf)).toEqual(['a', 'b', 'c', 'd'].slice(index))
        expect(batches[0]?.baseOffset).toBe(offset)
      }
    })

    it('gives batches that say where they lie and may be walked again', async () => {
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

    it('gives nothing at the head, and says that it is the head', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a'])
      const { end } = await boundsOf(subject.queue, topic)
      const result = await subject.queue.read(
        { topic, partition: 0, offset: end },
        { maxBytes: 1 << 20, maxWaitMs: 50 },
      )
      expect(result).toEqual({ batches: [], next: end, end })
    })

    it('waits at the head for what another queue commits', async () => {
      const topic = await subject.createTopic()
      const waiting = subject.other.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 << 20, maxWaitMs: 30_000 })
      await subject.queue.append([textRecord(topic, 'awaited')])
      const { batches } = await waiting
      expect(batches.flatMap((batch) => [...batch.records()]).map(textOf)).toEqual(['awaited'])
    })

    it('gives up waiting when it is told to, with the reason', async () => {
      const topic = await subject.createTopic()
      const controller = new AbortController()
      const waiting = subject.queue.read(
        { topic, partition: 0, offset: 0n },
        { maxBytes: 1 << 20, maxWaitMs: 30_000, signal: controller.signal },
      )
      const refused = expect(waiting).rejects.toThrow('no longer wanted')
      controller.abort(new Error('no longer wanted'))
      await refused
    })

    it('refuses an offset beyond the end and names what there is', async () => {
      const topic = await subject.createTopic()
      await commitTexts(await subject.openWriter(), topic, ['a', 'b'])
      const { earliest, end } = await boundsOf(subject.queue, topic)
      for (const offset of [end + 10n, -1n]) {
        const lost = subject.queue.read({ topic, partition: 0, offset }, { maxBytes: 1 })
        await expect(lost).rejects.toThrow(PositionLostError)
        await expect(lost).rejects.toThrow(expect.objectContaining({ topic, partition: 0, offset, earliest, end }))
      }
      expect(await readTexts(subject.queue, topic)).toEqual(['a', 'b'])
    })

    it('refuses a topic or a partition that does not exist', async () => {
      const topic = await subject.createTopic()
      for (const place of [
        { topic: uniqueName(), partition: 0 },
        { topic, partition: 1 },
      ]) {
        await expect(subject.queue.read({ ...place, offset: 0n }, { maxBytes: 1 })).rejects.toThrow(UnknownTopicError)
      }
    })
  })
}

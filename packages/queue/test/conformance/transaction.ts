import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { FencedError, RecordTooLargeError, TransactionTimedOutError, UnknownTopicError } from '../../src/errors.ts'
import { beginLarge, whereTransactionsAreStored } from './open-transaction.ts'
import type { Subject } from './subject.ts'
import { boundsOf, commitTexts, numbered, readAll, readTexts, textOf, textRecord, uniqueName } from './text-records.ts'

export function describeTransaction(subject: Subject): void {
  const itWhereStored = whereTransactionsAreStored(subject)

  describe('Transaction.send', () => {
    it('makes no record visible, even after many records', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      await commitTexts(writer, topic, ['before'])
      const { end } = await boundsOf(subject.other, topic)
      const open = await beginLarge(subject, writer, topic)
      for (const queue of [subject.queue, subject.other]) {
        expect(await readTexts(queue, topic)).toEqual(['before'])
        expect((await boundsOf(queue, topic)).end).toBe(end)
      }
      await open.abort()
    })

    it('copies the record, so its bytes may be reused', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const bytes = Buffer.from('first')
      const transaction = writer.begin()
      transaction.send({ topic, key: bytes, value: bytes, headers: [{ key: 'h', value: bytes }], time: 1 })
      bytes.fill('x')
      await transaction.commit()
      const [record] = await readAll(subject.other, topic)
      for (const sent of [record?.key, record?.value, record?.headers[0]?.value]) {
        expect(Buffer.from(sent ?? []).toString()).toBe('first')
      }
    })

    it('refuses a record that is too large and names the limit of its topic; the transaction continues without it', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const transaction = writer.begin()
      transaction.send(textRecord(topic, 'before'))
      const large = { topic, key: null, value: Buffer.alloc(20 << 20), time: 1 }
      expect(() => transaction.send(large)).toThrow(RecordTooLargeError)
      expect(() => transaction.send(large)).toThrow(expect.objectContaining({ topic, limit: expect.any(Number) }))
      transaction.send(textRecord(topic, 'after'))
      await transaction.commit()
      expect(await readTexts(subject.other, topic)).toEqual(['before', 'after'])
    })

    it.each([
      ['topic', (_: string) => ({ topic: uniqueName() })],
      ['partition', (topic: string) => ({ topic, partition: 1 })],
    ])('refuses a record for a %s that does not exist: send or commit throws', async (_, place) => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const transaction = writer.begin()
      transaction.send(textRecord(topic, 'never'))
      const sentAndCommitted = async (): Promise<void> => {
        transaction.send(textRecord(topic, 'nowhere', place(topic)))
        await transaction.commit()
      }
      await expect(sentAndCommitted()).rejects.toThrow(UnknownTopicError)
      await transaction.abort()
      await commitTexts(writer, topic, ['next'])
      expect(await readTexts(subject.other, topic)).toEqual(['next'])
    })

    it('is refused after the end of the transaction, as commit is', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const committed = writer.begin()
      committed.send(textRecord(topic, 'kept'))
      await committed.commit()
      const aborted = writer.begin()
      await aborted.abort()
      for (const ended of [committed, aborted]) {
        expect(() => ended.send(textRecord(topic, 'too late'))).toThrow(TypeError)
        await expect(ended.commit()).rejects.toThrow(TypeError)
      }
      expect(await readTexts(subject.other, topic)).toEqual(['kept'])
    })
  })

  describe('Transaction.drain', () => {
    it('allows a transaction to be larger than the buffer in memory', async () => {
      const topic = await subject.createTopic()
      const transaction = (await subject.openWriter()).begin()
      const bytes = randomBytes(500_000)
      const count = Math.ceil((1.25 * subject.bufferBytes) / bytes.length)
      for (let index = 0; index < count; index++) {
        bytes.writeUInt32BE(index)
        transaction.send({ topic, key: null, value: bytes, time: 1 })
        await transaction.drain()
      }
      await transaction.commit()
      const records = await readAll(subject.other, topic)
      expect(records.map(({ value }) => Buffer.from(value!).readUInt32BE())).toEqual([...Array(count).keys()])
    })

    it('resolves even if the transaction was aborted, which commit reports', async () => {
      const id = uniqueName()
      const older = await subject.queue.openWriter({ id, claim: uniqueName() })
      const open = await beginLarge(subject, older, await subject.createTopic())
      await subject.other.openWriter({ id, claim: uniqueName() })
      await open.drain()
      await expect(open.commit()).rejects.toThrow(FencedError)
    })
  })

  describe('Transaction.commit', () => {
    it('makes all records visible to every reader, at higher offsets than before, when it returns', async () => {
      const topics = [await subject.createTopic({ partitions: 2 }), await subject.createTopic()] as const
      const places = [
        [topics[0], 0],
        [topics[0], 1],
        [topics[1], 0],
      ] as const
      const writer = await subject.openWriter()
      const rounds = numbered(10)
      for (const round of rounds) {
        const transaction = writer.begin()
        for (const [topic, partition] of places) transaction.send(textRecord(topic, round, { partition }))
        await transaction.commit()
        for (const [topic, partition] of places) {
          expect((await readTexts(subject.other, topic, partition)).at(-1)).toBe(round)
        }
      }
      for (const [topic, partition] of places) {
        const records = await readAll(subject.queue, topic, partition)
        expect(records.map(textOf)).toEqual(rounds)
        const offsets = records.map(({ offset }) => offset)
        expect(offsets).toEqual(offsets.toSorted((one, other) => (one < other ? -1 : 1)))
        expect(new Set(offsets)).toHaveLength(rounds.length)
      }
    })

    it('keeps the order of each partition, for any number of records', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const writer = await subject.openWriter()
      const sent: string[][] = [[], []]
      for (let round = 0; round < 2; round++) {
        const transaction = writer.begin()
        for (let index = 0; index < 3_000; index++) {
          const partition = index % 3 === 0 ? 1 : 0
          const text = `${round}/${index} ${'x'.repeat(100)}`
          sent[partition]!.push(text)
          transaction.send(textRecord(topic, text, { partition }))
        }
        await transaction.commit()
      }
      for (const partition of [0, 1]) expect(await readTexts(subject.other, topic, partition)).toEqual(sent[partition])
    })

    it('loses and duplicates nothing when several writers call it concurrently', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const writers = [await subject.openWriter(), await subject.openWriter(), await subject.openWriter()]
      const commitAll = async (writer: (typeof writers)[number], name: number): Promise<void> => {
        for (const text of numbered(8)) {
          const transaction = writer.begin()
          for (const partition of [0, 1]) transaction.send(textRecord(topic, `${name}/${text}`, { partition }))
          await transaction.commit()
        }
      }
      await Promise.all(writers.map(commitAll))
      for (const partition of [0, 1]) {
        const texts = await readTexts(subject.other, topic, partition)
        expect(texts).toHaveLength(24)
        for (const name of writers.keys()) {
          const own = texts.filter((text) => text?.startsWith(`${name}/`))
          expect(own).toEqual(numbered(8).map((text) => `${name}/${text}`))
        }
      }
    })

    it('does nothing without records', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      const before = await boundsOf(subject.queue, topic)
      await writer.begin().commit()
      expect(await boundsOf(subject.queue, topic)).toEqual(before)
      await commitTexts(writer, topic, ['then'])
      expect(await readTexts(subject.other, topic)).toEqual(['then'])
    })

    it('does not wait for the open transaction of another writer', async () => {
      const topic = await subject.createTopic()
      const [first, second] = [await subject.openWriter(), await subject.openWriter()]
      const open = await beginLarge(subject, first, topic)
      await commitTexts(second, topic, ['second'])
      await open.abort()
      expect(await readTexts(subject.other, topic)).toEqual(['second'])
    })

    itWhereStored('is refused after the engine has timed out the transaction, and the writer continues', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter({ transactionTimeoutMs: 3_000 })
      const open = await beginLarge(subject, writer, topic)
      await subject.queue.append([textRecord(topic, 'behind it')])
      await visible(subject, topic)
      await expect(open.commit()).rejects.toThrow(TransactionTimedOutError)
      await open.abort()
      await commitTexts(writer, topic, ['next'])
      expect(await readTexts(subject.other, topic)).toEqual(['behind it', 'next'])
    })
  })

  describe('Transaction.abort', () => {
    it('leaves no record, and the next transaction works', async () => {
      const topic = await subject.createTopic({ partitions: 2 })
      const writer = await subject.openWriter()
      await commitTexts(writer, topic, ['before'])
      for (let round = 0; round < 3; round++) {
        const aborted = await beginLarge(subject, writer, topic)
        aborted.send(textRecord(topic, 'aborted', { partition: 1 }))
        await aborted.abort()
        expect((await readTexts(subject.other, topic)).at(-1)).toBe(round === 0 ? 'before' : `${round - 1}`)
        await commitTexts(writer, topic, [`${round}`])
      }
      expect(await readTexts(subject.other, topic)).toEqual(['before', '0', '1', '2'])
      expect(await readTexts(subject.other, topic, 1)).toEqual([])
    })

    it('has no effect on a transaction without records', async () => {
      const topic = await subject.createTopic()
      const writer = await subject.openWriter()
      await writer.begin().abort()
      await commitTexts(writer, topic, ['then'])
      expect(await readTexts(subject.other, topic)).toEqual(['then'])
    })
  })
}

/** Resolves when a reader sees a record. */
async function visible({ other }: Subject, topic: string): Promise<void> {
  const deadline = AbortSignal.timeout(45_000)
  for await (const _ of other.follow([{ topic, partition: 0, offset: 0n }], { signal: deadline })) return
  deadline.throwIfAborted()
}

import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  FencedError,
  type Queue,
  RecordTooLargeError,
  TransactionTimedOutError,
  UnknownTopicError,
} from '../src/index.ts'
import { kafka, openKafka, readValues, record, uniqueName } from './kafka-fixture.ts'

describe.skipIf(kafka === null)('a writer on Kafka', () => {
  let queue: Queue
  let topic: string

  beforeAll(async () => {
    queue = await openKafka()
  })
  afterAll(() => queue?.close())

  async function newTopic(partitions = 1): Promise<string> {
    topic = uniqueName('writer')
    await queue.createTopics([{ name: topic, partitions }])
    return topic
  }

  async function publish(writer: Awaited<ReturnType<Queue['openWriter']>>, value: string): Promise<void> {
    const transaction = writer.begin()
    transaction.send(record(topic, value))
    await transaction.commit()
  }

  it('is fenced by a later claim and stays so', async () => {
    await newTopic()
    const other = await openKafka()
    const older = await queue.openWriter({ id: topic, claim: 'older' })
    await publish(older, 'one')
    const newer = await other.openWriter({ id: topic, claim: 'newer' })
    const refused = older.begin()
    refused.send(record(topic, 'never'))
    await expect(refused.commit()).rejects.toThrow(FencedError)
    await expect(refused.abort()).rejects.toThrow(FencedError)
    expect(() => older.begin()).toThrow(FencedError)

    await publish(newer, 'two')
    await expect(queue.openWriter({ id: topic, claim: 'older' })).rejects.toThrow(FencedError)
    await publish(newer, 'three')
    expect(await readValues(queue, topic)).toEqual(['one', 'two', 'three'])
    await other.close()
  })

  it('goes on when its session was taken by someone without a claim', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const stranger = new Kafka({ brokers: [kafka!], logLevel: logLevel.NOTHING }).producer({ transactionalId: topic })
    await stranger.connect()
    await (await stranger.transaction()).abort()
    const interrupted = writer.begin()
    interrupted.send(record(topic, 'two'))
    await expect(interrupted.commit()).rejects.toThrow(TransactionTimedOutError)
    await interrupted.abort()
    await publish(writer, 'two')
    expect(await readValues(queue, topic)).toEqual(['one', 'two'])
    await stranger.disconnect()
    await writer.close()
  })

  it('goes on after the broker has timed its transaction out', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run', transactionTimeoutMs: 1_000 })
    await publish(writer, 'before')
    const stalled = writer.begin()
    for (let index = 0; index < 40; index++) stalled.send(record(topic, 'x'.repeat(10_000)))
    await stableAgain(topic)
    stalled.send(record(topic, 'late'))
    await expect(stalled.commit()).rejects.toThrow(TransactionTimedOutError)
    await stalled.abort()
    await publish(writer, 'after')
    expect(await readValues(queue, topic)).toEqual(['before', 'after'])
    await writer.close()
  })

  /** Resolves when the broker has ended the transaction whose batches have left: an abort marker follows them. */
  async function stableAgain(name: string): Promise<void> {
    const deadline = AbortSignal.timeout(30_000)
    const before = (await queue.describe([name]))[0]!.partitions[0]!.end
    for (;;) {
      deadline.throwIfAborted()
      const [description] = await queue.describe([name])
      if (description!.partitions[0]!.end > before) return
    }
  }

  it('keeps the order of a transaction that is many batches long', async () => {
    await newTopic(2)
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    const transaction = writer.begin()
    const values = Array.from({ length: 300 }, (_, index) => `${index}:${'x'.repeat(10_000)}`)
    for (const [index, value] of values.entries()) transaction.send(record(topic, value, { partition: index % 2 }))
    await transaction.commit()
    expect(await readValues(queue, topic, 0)).toEqual(values.filter((_, index) => index % 2 === 0))
    expect(await readValues(queue, topic, 1)).toEqual(values.filter((_, index) => index % 2 === 1))
    await writer.close()
  })

  it('goes on without a record that is too large or has no topic', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    const transaction = writer.begin()
    expect(() => transaction.send(record(topic, 'x'.repeat(2 * 1024 * 1024)))).toThrow(RecordTooLargeError)
    expect(() => transaction.send(record('no-such-topic', 'v'))).toThrow(UnknownTopicError)
    transaction.send(record(topic, 'kept'))
    await transaction.commit()
    expect(await readValues(queue, topic)).toEqual(['kept'])
    await writer.close()
  })

  it('holds no reader back when the queue is closed in the middle of a transaction', async () => {
    await newTopic()
    const other = await openKafka()
    const writer = await other.openWriter({ id: topic, claim: 'run' })
    const transaction = writer.begin()
    for (let index = 0; index < 60; index++) transaction.send(record(topic, 'x'.repeat(10_000)))
    await other.close()
    await queue.append([record(topic, 'visible')])
    expect(await readValues(queue, topic)).toEqual(['visible'])
  })
})

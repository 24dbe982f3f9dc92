import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KafkaBroker } from '../../../testbed/kafka/start-kafka.ts'
import { FencedError, type Queue, TransactionTimedOutError, UnknownTopicError, type Writer } from '../../src/index.ts'
import { openKafkaAt, readValues, record, uniqueName } from '../kafka-fixture.ts'
import { continueAfterOtherProducer } from '../stranger.ts'

/** Tests of the behaviour that depends on the transaction protocol. The shared broker has another protocol. */
export function describeWriter(own: () => KafkaBroker): void {
  describe('with a writer', () => testWriter(own))
}

function testWriter(own: () => KafkaBroker): void {
  let bootstrap: string
  let queue: Queue
  let topic: string

  beforeAll(async () => {
    bootstrap = own().bootstrap
    queue = await openKafkaAt(bootstrap)
  })
  afterAll(() => queue?.close())

  async function newTopic(partitions = 1): Promise<string> {
    topic = uniqueName('writer')
    await queue.createTopics([{ name: topic, partitions }])
    return topic
  }

  async function publish(writer: Writer, value: string): Promise<void> {
    const transaction = writer.begin()
    transaction.send(record(topic, value))
    await transaction.commit()
  }

  it('makes every transaction visible before its commit returns', async () => {
    await newTopic(3)
    const reader = await openKafkaAt(bootstrap)
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    for (let unit = 0; unit < 10; unit++) {
      const transaction = writer.begin()
      for (const partition of [0, 1, 2]) transaction.send(record(topic, `${unit}`, { partition }))
      await transaction.commit()
      const seen = await Promise.all([0, 1, 2].map((partition) => readValues(reader, topic, partition)))
      expect(seen.map((values) => values.at(-1))).toEqual([`${unit}`, `${unit}`, `${unit}`])
    }
    await reader.close()
    await writer.close()
  })

  it('is fenced by a later claim and stays fenced', async () => {
    await newTopic()
    const other = await openKafkaAt(bootstrap)
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

  it('continues after another producer without a claim has taken over its session', async () => {
    await continueAfterOtherProducer(queue, bootstrap)
  })

  it('continues after the broker has timed out its transaction, which is not reported as fenced', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run', transactionTimeoutMs: 1_000 })
    await publish(writer, 'before')
    const stalled = writer.begin()
    for (let index = 0; index < 40; index++) stalled.send(record(topic, 'x'.repeat(10_000)))
    await endMoved(topic)
    stalled.send(record(topic, 'late'))
    await expect(stalled.commit()).rejects.toThrow(TransactionTimedOutError)
    await stalled.abort()
    await publish(writer, 'after')
    expect(await readValues(queue, topic)).toEqual(['before', 'after'])
    await writer.close()
  })

  /** Resolves when the end of the partition moves: the broker has aborted the transaction that timed out. */
  async function endMoved(name: string): Promise<void> {
    const deadline = AbortSignal.timeout(30_000)
    const before = (await queue.describe([name]))[0]!.partitions[0]!.end
    for (;;) {
      deadline.throwIfAborted()
      const [description] = await queue.describe([name])
      if (description!.partitions[0]!.end > before) return
      await delay(20)
    }
  }

  it('loses nothing after an abort whose batches have used sequence numbers', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    for (let unit = 0; unit < 3; unit++) {
      const given = writer.begin()
      for (let index = 0; index < 60; index++) given.send(record(topic, 'x'.repeat(10_000)))
      await given.drain()
      await given.abort()
      await publish(writer, `${unit}`)
      await publish(writer, `${unit} again`)
    }
    const kept = [0, 1, 2].flatMap((unit) => [`${unit}`, `${unit} again`])
    expect(await readValues(queue, topic)).toEqual(kept)
    await writer.close()
  })

  it('keeps the order of a transaction of many batches', async () => {
    await newTopic(2)
    const small = await openKafkaAt(bootstrap, { bufferBytes: 300_000, requestsInFlight: 2 })
    const writer = await small.openWriter({ id: topic, claim: 'run' })
    const transaction = writer.begin()
    const values = Array.from({ length: 100 }, (_, index) => `${index}:${'x'.repeat(10_000)}`)
    for (const [index, value] of values.entries()) {
      transaction.send(record(topic, value, { partition: index % 2 }))
      await transaction.drain()
    }
    await transaction.commit()
    expect(await readValues(queue, topic, 0)).toEqual(values.filter((_, index) => index % 2 === 0))
    expect(await readValues(queue, topic, 1)).toEqual(values.filter((_, index) => index % 2 === 1))
    await small.close()
  })

  it('refuses a transaction with a record of an unknown topic, and continues', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    for (const nowhere of [{ topic: uniqueName('none') }, { partition: 1 }]) {
      const transaction = writer.begin()
      transaction.send(record(topic, 'never'))
      transaction.send(record(topic, 'never', nowhere))
      await expect(transaction.commit()).rejects.toThrow(UnknownTopicError)
      await transaction.abort()
    }
    await publish(writer, 'kept')
    expect(await readValues(queue, topic)).toEqual(['kept'])
    await writer.close()
  })

  it('does not delay readers when the queue is closed during a transaction', async () => {
    await newTopic()
    const other = await openKafkaAt(bootstrap)
    const writer = await other.openWriter({ id: topic, claim: 'run' })
    const transaction = writer.begin()
    for (let index = 0; index < 60; index++) transaction.send(record(topic, 'x'.repeat(10_000)))
    await other.close()
    await queue.append([record(topic, 'visible')])
    expect(await readValues(queue, topic)).toEqual(['visible'])
  })
}

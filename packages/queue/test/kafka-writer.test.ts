import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type KafkaBroker, startOwnKafka } from '../../testbed/kafka/start-kafka.ts'
import {
  FencedError,
  type Queue,
  RecordTooLargeError,
  TopicMismatchError,
  TransactionAbortedError,
  TransactionTimedOutError,
  UnknownTopicError,
  type Writer,
} from '../src/index.ts'
import { kafka, openKafkaAt, readValues, record, uniqueName } from './kafka-fixture.ts'

const protocols = [
  { protocol: 'TV2', transactionVersion: 2 },
  { protocol: 'TV1', transactionVersion: 0 },
] as const

describe.skipIf(kafka === null).for(protocols)('a writer on Kafka under $protocol', ({ transactionVersion }) => {
  let broker: KafkaBroker | undefined
  let bootstrap: string
  let queue: Queue
  let topic: string

  beforeAll(async () => {
    bootstrap = kafka!
    if (transactionVersion === 0) {
      const started = await startOwnKafka({ transactionVersion })
      if ('unavailable' in started) throw new Error(started.unavailable)
      broker = started
      bootstrap = broker.bootstrap
    }
    queue = await openKafkaAt(bootstrap)
  })
  afterAll(async () => {
    await queue?.close()
    await broker?.stop()
  })

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

  function kafkajs(): Kafka {
    return new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING })
  }

  it('makes every transaction visible before its commit returns', async () => {
    await newTopic(3)
    const reader = await openKafkaAt(bootstrap)
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    for (let unit = 0; unit < 50; unit++) {
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

  it('continues after another producer without a claim has taken its session', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const stranger = kafkajs().producer({ transactionalId: topic })
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

  it('continues after the broker has timed out its transaction, which is not reported as fenced', async () => {
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

  /** Resolves when the broker has timed out the transaction, by its abort marker. */
  async function stableAgain(name: string): Promise<void> {
    const deadline = AbortSignal.timeout(30_000)
    const before = (await queue.describe([name]))[0]!.partitions[0]!.end
    for (;;) {
      deadline.throwIfAborted()
      const [description] = await queue.describe([name])
      if (description!.partitions[0]!.end > before) return
    }
  }

  it('loses nothing after an abort, whose batches have used sequence numbers', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    for (let unit = 0; unit < 5; unit++) {
      const given = writer.begin()
      for (let index = 0; index < 60; index++) given.send(record(topic, 'x'.repeat(10_000)))
      await given.drain()
      await given.abort()
      await publish(writer, `${unit}`)
      await publish(writer, `${unit} again`)
    }
    const kept = [0, 1, 2, 3, 4].flatMap((unit) => [`${unit}`, `${unit} again`])
    expect(await readValues(queue, topic)).toEqual(kept)
    await writer.close()
  })

  it('keeps the order of a transaction of many batches', async () => {
    await newTopic(2)
    const small = await openKafkaAt(bootstrap, { bufferBytes: 300_000, requestsInFlight: 2 })
    const writer = await small.openWriter({ id: topic, claim: 'run' })
    const transaction = writer.begin()
    const values = Array.from({ length: 300 }, (_, index) => `${index}:${'x'.repeat(10_000)}`)
    for (const [index, value] of values.entries()) {
      transaction.send(record(topic, value, { partition: index % 2 }))
      await transaction.drain()
    }
    await transaction.commit()
    expect(await readValues(queue, topic, 0)).toEqual(values.filter((_, index) => index % 2 === 0))
    expect(await readValues(queue, topic, 1)).toEqual(values.filter((_, index) => index % 2 === 1))
    await small.close()
  })

  it('continues without a record that is too large', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    const transaction = writer.begin()
    expect(() => transaction.send(record(topic, 'x'.repeat(2 * 1024 * 1024)))).toThrow(RecordTooLargeError)
    transaction.send(record(topic, 'kept'))
    await transaction.commit()
    expect(await readValues(queue, topic)).toEqual(['kept'])
    await writer.close()
  })

  it('writes to a topic or partition that another process created after it was opened', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const other = await openKafkaAt(bootstrap)
    const made = uniqueName('writer')
    await other.createTopics([{ name: made, partitions: 2 }])
    const admin = kafkajs().admin()
    await admin.connect()
    await admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] })
    await admin.disconnect()
    // A broker needs a moment to become the leader of new partitions. `describe` asks their leaders.
    await vi.waitFor(async () => {
      const described = await other.describe([made, topic])
      expect(described.map(({ partitions }) => partitions.length)).toEqual([2, 2])
    }, 30_000)
    const transaction = writer.begin()
    transaction.send(record(made, 'two', { partition: 1 }))
    transaction.send(record(topic, 'two', { partition: 1 }))
    await transaction.commit()
    expect(await readValues(other, made, 1)).toEqual(['two'])
    expect(await readValues(other, topic, 1)).toEqual(['two'])
    await other.close()
    await writer.close()
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

  it('detects that a topic was deleted and created again', async () => {
    await newTopic()
    const attentive = await openKafkaAt(bootstrap, { metadataMaxAgeMs: 0 })
    const writer = await attentive.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const admin = kafkajs().admin()
    await admin.connect()
    await admin.deleteTopics({ topics: [topic] })
    await admin.disconnect()
    await createAgain(topic)
    await expect(publishUntilRefused(writer)).rejects.toThrow(TopicMismatchError)
    await attentive.close()
  })

  /** A deletion ends later than its answer. */
  async function createAgain(name: string): Promise<void> {
    const deadline = AbortSignal.timeout(30_000)
    for (;;) {
      deadline.throwIfAborted()
      if ((await queue.describe([name])).length === 0) break
    }
    await queue.createTopics([{ name }])
  }

  async function publishUntilRefused(writer: Writer): Promise<void> {
    const deadline = AbortSignal.timeout(30_000)
    for (;;) {
      deadline.throwIfAborted()
      const transaction = writer.begin()
      transaction.send(record(topic, 'again'))
      await transaction.commit().catch(async (error: unknown) => {
        await transaction.abort()
        if (!(error instanceof TransactionAbortedError)) throw error
      })
    }
  }

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
})

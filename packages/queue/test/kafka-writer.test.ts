import { setTimeout as delay } from 'node:timers/promises'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Queue, TopicMismatchError, TransactionAbortedError, type Writer } from '../src/index.ts'
import { kafka, openKafka, readValues, record, uniqueName } from './kafka-fixture.ts'
import { continueAfterOtherProducer } from './stranger.ts'

/** Only the behaviour that the conformance tests do not cover. */
describe.skipIf(kafka === null)('a writer on Kafka', () => {
  let queue: Queue
  let topic: string

  beforeAll(async () => {
    queue = await openKafka()
  })
  afterAll(() => queue?.close())

  async function newTopic(): Promise<string> {
    topic = uniqueName('writer')
    await queue.createTopics([{ name: topic }])
    return topic
  }

  async function publish(writer: Writer, value: string): Promise<void> {
    const transaction = writer.begin()
    transaction.send(record(topic, value))
    await transaction.commit()
  }

  function kafkajs(): Kafka {
    return new Kafka({ brokers: [kafka!], logLevel: logLevel.NOTHING })
  }

  it('continues after another producer without a claim has taken over its session', async () => {
    await continueAfterOtherProducer(queue, kafka!)
  })

  it('writes to a topic or partition that another process created after it was opened', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const other = await openKafka()
    const made = uniqueName('writer')
    await other.createTopics([{ name: made, partitions: 2 }])
    const admin = kafkajs().admin()
    await admin.connect()
    await admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] })
    await admin.disconnect()
    // A broker becomes the leader of new partitions some time after their creation. `describe` asks the leaders.
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

  it('detects that a topic was deleted and created again', async () => {
    await newTopic()
    const attentive = await openKafka({ metadataMaxAgeMs: 0 })
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

  /** A broker confirms a deletion before it is complete. */
  async function createAgain(name: string): Promise<void> {
    const deadline = AbortSignal.timeout(30_000)
    for (;;) {
      deadline.throwIfAborted()
      if ((await queue.describe([name])).length === 0) break
      await delay(20)
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
})

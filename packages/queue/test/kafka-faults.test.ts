import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KafkaProxy, startProxy } from '../../../scripts/kafka/proxy.ts'
import { type KafkaBroker, startOwnKafka } from '../../../scripts/kafka/start-kafka.ts'
import { CommitUnknownError, type Queue, QueueUnavailableError, TransactionAbortedError } from '../src/index.ts'
import { createKafkaQueue } from '../src/kafka/kafka-queue.ts'
import { kafka, readValues, record, uniqueName } from './kafka-fixture.ts'

const produce = 0
const fetch = 1
const endTxn = 26

describe.skipIf(kafka === null)('a queue whose connections to Kafka are lost', () => {
  let proxy: KafkaProxy
  let broker: KafkaBroker
  let queue: Queue
  let topic: string

  beforeAll(async () => {
    proxy = await startProxy()
    const started = await startOwnKafka({ advertisedPort: proxy.port })
    if ('unavailable' in started) throw new Error(started.unavailable)
    broker = started
    proxy.brokerPort = Number(broker.bootstrap.split(':')[1])
    queue = await openQueue()
  })
  afterAll(async () => {
    await queue?.close()
    await broker?.stop()
    await proxy?.close()
  })

  function openQueue(budgetMs = 20_000): Promise<Queue> {
    return createKafkaQueue({ bootstrap: [{ host: '127.0.0.1', port: proxy.port }], settings: { budgetMs } })
  }

  async function newTopic(): Promise<string> {
    topic = uniqueName('faults')
    await queue.createTopics([{ name: topic }])
    return topic
  }

  async function publish(writer: Awaited<ReturnType<Queue['openWriter']>>, value: string): Promise<void> {
    const transaction = writer.begin()
    transaction.send(record(topic, value))
    await transaction.commit()
  }

  it.for(['answer', 'request'] as const)('has committed once when the %s of a commit is lost', async (what) => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const lost = proxy.loseNext(endTxn, what)
    await publish(writer, 'two')
    await lost
    await publish(writer, 'three')
    expect(await readValues(queue, topic)).toEqual(['one', 'two', 'three'])
    await writer.close()
  })

  it('has committed when only the repeated question about a commit is lost', async () => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const lost = proxy.loseNext(endTxn, 'answer', { skip: 1 })
    await publish(writer, 'two')
    await lost
    await publish(writer, 'three')
    expect(await readValues(queue, topic)).toEqual(['one', 'two', 'three'])
    await writer.close()
  })

  it.for(['answer', 'request'] as const)('publishes nothing of a transaction whose batch lost its %s', async (what) => {
    await newTopic()
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const lost = proxy.loseNext(produce, what)
    const transaction = writer.begin()
    transaction.send(record(topic, 'never'))
    await expect(transaction.commit()).rejects.toThrow(TransactionAbortedError)
    await lost
    await transaction.abort()
    await publish(writer, 'two')
    expect(await readValues(queue, topic)).toEqual(['one', 'two'])
    await writer.close()
  })

  it('appends once when the answer is lost', async () => {
    await newTopic()
    await queue.append([record(topic, 'one')])
    const lost = proxy.loseNext(produce, 'answer')
    await queue.append([record(topic, 'two')])
    await lost
    await queue.append([record(topic, 'three')])
    expect(await readValues(queue, topic)).toEqual(['one', 'two', 'three'])
  })

  it('follows without a gap or a repetition', async () => {
    await newTopic()
    const values = Array.from({ length: 30 }, (_, index) => `${index}`)
    const seen: string[] = []
    const stop = new AbortController()
    const following = (async () => {
      for await (const batch of queue.follow([{ topic, partition: 0, offset: 0n }], { signal: stop.signal })) {
        for (const { value } of batch.records()) seen.push(Buffer.from(value!).toString())
        if (seen.length >= values.length) stop.abort()
      }
    })()
    const losses: Promise<void>[] = []
    for (const [index, value] of values.entries()) {
      if (index % 10 === 5) losses.push(proxy.loseNext(fetch, 'answer'))
      if (index === 20) proxy.cutAll()
      await queue.append([record(topic, value)])
    }
    await following
    await Promise.all(losses)
    expect(seen).toEqual(values)
  })

  it('says so when the broker stays away for longer than the budget', async () => {
    await newTopic()
    const impatient = await openQueue(500)
    const writer = await impatient.openWriter({ id: topic, claim: 'run' })
    await publish(writer, 'one')
    const transaction = writer.begin()
    transaction.send(record(topic, 'two'))
    const lost = proxy.loseNext(endTxn, 'answer').then(() => {
      proxy.brokerPort = 1
      proxy.cutAll()
    })
    const port = proxy.brokerPort
    await expect(transaction.commit()).rejects.toThrow(CommitUnknownError)
    await lost
    await expect(impatient.describe()).rejects.toThrow(QueueUnavailableError)

    // What the commit came to is told by what a new writer finds.
    proxy.brokerPort = port
    await writer.close()
    const again = await impatient.openWriter({ id: topic, claim: 'run' })
    expect(await readValues(impatient, topic)).toEqual(['one', 'two'])
    await publish(again, 'three')
    expect(await readValues(impatient, topic)).toEqual(['one', 'two', 'three'])
    await impatient.close()
  })
})

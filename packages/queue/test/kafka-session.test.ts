import { setTimeout as delay } from 'node:timers/promises'
import { Connection, describeTransactionsV0, type ResponseError } from '@platformatic/kafka'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KafkaBroker, startOwnKafka } from '../../testbed/kafka/start-kafka.ts'
import { type Queue, TransactionAbortedError, type Writer } from '../src/index.ts'
import { brokerAddresses, kafka, openKafkaAt, readValues, record, uniqueName } from './kafka-fixture.ts'

const protocols = [
  { protocol: 'TV2', transactionVersion: 2 },
  { protocol: 'TV1', transactionVersion: 0 },
] as const

const transactionalIdNotFound = 105

describe.skipIf(kafka === null).for(protocols)('the session of a writer under $protocol', ({ transactionVersion }) => {
  let broker: KafkaBroker
  let queue: Queue
  let connection: Connection

  beforeAll(async () => {
    const properties = {
      'transactional.id.expiration.ms': '2000',
      'transaction.remove.expired.transaction.cleanup.interval.ms': '200',
    }
    const started = await startOwnKafka({ transactionVersion, properties })
    if ('unavailable' in started) throw new Error(started.unavailable)
    broker = started
    queue = await openKafkaAt(broker.bootstrap)
    const [{ host, port }] = brokerAddresses(broker.bootstrap) as [{ host: string; port: number }]
    connection = new Connection('test')
    connection.on('error', () => {})
    await connection.connect(host, port)
  })
  afterAll(async () => {
    await connection?.close()
    await queue?.close()
    await broker?.stop()
  })

  async function publish(writer: Writer, topic: string, value: string): Promise<void> {
    const transaction = writer.begin()
    transaction.send(record(topic, value))
    try {
      await transaction.commit()
    } catch (error) {
      await transaction.abort()
      throw error
    }
  }

  it('is opened again after it has expired in the brokers while idle', async () => {
    const topic = uniqueName('session')
    await queue.createTopics([{ name: topic }])
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish(writer, topic, 'one')
    await forgotten(topic)
    await expect(publish(writer, topic, 'two')).rejects.toThrow(TransactionAbortedError)
    await publish(writer, topic, 'two')
    expect(await readValues(queue, topic)).toEqual(['one', 'two'])
    await writer.close()
  })

  async function forgotten(transactionalId: string): Promise<void> {
    const deadline = AbortSignal.timeout(30_000)
    for (;;) {
      deadline.throwIfAborted()
      const { transactionStates } = await describeTransactionsV0.api
        .async(connection, [transactionalId])
        .catch((error: ResponseError) => error.response as { transactionStates: { errorCode: number }[] })
      if (transactionStates[0]!.errorCode === transactionalIdNotFound) return
      await delay(50)
    }
  }
})

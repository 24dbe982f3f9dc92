import { setTimeout as delay } from 'node:timers/promises'
import { Connection, describeTransactionsV0, type ResponseError } from '@platformatic/kafka'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { KafkaBroker } from '../../../testbed/kafka/start-kafka.ts'
import { type Queue, TransactionAbortedError, type Writer } from '../../src/index.ts'
import { brokerAddresses, openKafkaAt, readValues, record, uniqueName } from '../kafka-fixture.ts'

/** Settings of a broker that removes the state of a writer after 10 s without a request. */
export const shortIdleSessions: Readonly<Record<string, string>> = {
  'transactional.id.expiration.ms': '10000',
  'transaction.remove.expired.transaction.cleanup.interval.ms': '200',
}

/**
 * Opens a writer before the other tests of a suite, so that it is idle during them. Returns a function that defines its
 * test, which belongs after them.
 */
export function startIdleSession(own: () => KafkaBroker): () => void {
  const topic = uniqueName('session')
  let queue: Queue
  let writer: Writer

  beforeAll(async () => {
    queue = await openKafkaAt(own().bootstrap)
    await queue.createTopics([{ name: topic }])
    writer = await queue.openWriter({ id: topic, claim: 'run' })
    await publish('one')
  })
  afterAll(() => queue?.close())

  async function publish(value: string): Promise<void> {
    const transaction = writer.begin()
    transaction.send(record(topic, value))
    try {
      await transaction.commit()
    } catch (error) {
      await transaction.abort()
      throw error
    }
  }

  return () => {
    it('opens the session of a writer again after it has expired in the brokers while idle', async () => {
      await untilExpired(own().bootstrap, topic)
      await expect(publish('two')).rejects.toThrow(TransactionAbortedError)
      await publish('two')
      expect(await readValues(queue, topic)).toEqual(['one', 'two'])
      await writer.close()
    })
  }
}

async function untilExpired(bootstrap: string, transactionalId: string): Promise<void> {
  const [address] = brokerAddresses(bootstrap)
  const connection = new Connection('test')
  connection.on('error', () => {})
  await connection.connect(address!.host, address!.port)
  const deadline = AbortSignal.timeout(60_000)
  for (;;) {
    deadline.throwIfAborted()
    const { transactionStates } = await describeTransactionsV0.api
      .async(connection, [transactionalId])
      .catch((error: ResponseError) => error.response as { transactionStates: { errorCode: number }[] })
    if (transactionStates[0]!.errorCode === transactionalIdNotFound) break
    await delay(50)
  }
  await connection.close()
}

const transactionalIdNotFound = 105

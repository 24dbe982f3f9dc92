import { Kafka, logLevel } from 'kafkajs'
import { expect } from 'vitest'
import { type Queue, TransactionTimedOutError } from '../src/index.ts'
import { readValues, record, uniqueName } from './kafka-fixture.ts'

/** Lets another producer, which knows nothing of claims, take the session of a writer, and expects that it continues. */
export async function continueAfterStranger(queue: Queue, bootstrap: string): Promise<void> {
  const topic = uniqueName('stranger')
  await queue.createTopics([{ name: topic }])
  const writer = await queue.openWriter({ id: topic, claim: 'run' })
  const begin = (value: string) => {
    const transaction = writer.begin()
    transaction.send(record(topic, value))
    return transaction
  }
  await begin('one').commit()
  const stranger = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING }).producer({ transactionalId: topic })
  await stranger.connect()
  await (await stranger.transaction()).abort()
  const interrupted = begin('two')
  await expect(interrupted.commit()).rejects.toThrow(TransactionTimedOutError)
  await interrupted.abort()
  await begin('two').commit()
  expect(await readValues(queue, topic)).toEqual(['one', 'two'])
  await stranger.disconnect()
  await writer.close()
}

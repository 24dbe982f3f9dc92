import { Kafka, logLevel } from 'kafkajs'
import { expect } from 'vitest'
import { type Queue, TransactionTimedOutError } from '../src/index.ts'
import { readValues, record, uniqueName } from './kafka-fixture.ts'

/** Lets a producer without a claim take over the session of a writer, and expects that the writer continues. */
export async function continueAfterOtherProducer(queue: Queue, bootstrap: string): Promise<void> {
  const topic = uniqueName('stranger')
  await queue.createTopics([{ name: topic }])
  const writer = await queue.openWriter({ id: topic, claim: 'run' })
  const begin = (value: string) => {
    const transaction = writer.begin()
    transaction.send(record(topic, value))
    return transaction
  }
  await begin('one').commit()
  const other = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING }).producer({ transactionalId: topic })
  await other.connect()
  await (await other.transaction()).abort()
  const interrupted = begin('two')
  await expect(interrupted.commit()).rejects.toThrow(TransactionTimedOutError)
  await interrupted.abort()
  await begin('two').commit()
  expect(await readValues(queue, topic)).toEqual(['one', 'two'])
  await other.disconnect()
  await writer.close()
}

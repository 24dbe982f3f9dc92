import { openQueue } from '@headrace/queue'
import { describeQueue } from '@headrace/queue/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { type KafkaBroker, startOwnKafka } from '../../../scripts/kafka/start-kafka.ts'
import { kafka } from './kafka-fixture.ts'

describe.skipIf(kafka === null)('the Kafka engine with the transactions of brokers before 4.0', () => {
  let broker: KafkaBroker

  beforeAll(async () => {
    const started = await startOwnKafka({ transactionVersion: 0 })
    if ('unavailable' in started) throw new Error(started.unavailable)
    broker = started
  })
  afterAll(() => broker?.stop())

  describeQueue('is a queue', {
    open: () => openQueue(`kafka://${broker.bootstrap}`),
    storesOpenTransactions: true,
  })
})

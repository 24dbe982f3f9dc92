import { describe } from 'vitest'
import { describeQueue } from './conformance/describe-queue.ts'
import { kafka, openKafka } from './kafka-fixture.ts'

describe.skipIf(kafka === null)('the Kafka engine', () => {
  describeQueue('is a queue', { open: openKafka, storesOpenTransactions: true })
})

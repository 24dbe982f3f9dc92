import { describe } from 'vitest'
import { describeQueue } from './conformance/describe-queue.ts'
import { kafka, openKafka } from './kafka-fixture.ts'

describe.skipIf(kafka === null)('the Kafka engine', () => {
  const bufferBytes = 4 * 1024 * 1024
  describeQueue('is a queue', { open: () => openKafka({ bufferBytes }), storesOpenTransactions: true, bufferBytes })
})

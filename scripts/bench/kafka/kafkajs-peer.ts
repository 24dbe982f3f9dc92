import { CompressionTypes, Kafka, logLevel } from 'kafkajs'
import { inProcess } from './in-process.ts'
import { type Contestant, keyBytes } from './workload.ts'

/** kafkajs with its fastest call, one request for all topics. */
export async function openKafkajs(bootstrap: string, topics: readonly string[]): Promise<Contestant> {
  const client = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING })
  const producer = client.producer({ transactionalId: 'bench-kafkajs', idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  const key = Buffer.alloc(keyBytes, 'k')

  return inProcess(
    async ({ parts }) => {
      const transaction = await producer.transaction()
      const topicMessages = parts.map(({ records, valueBytes }, index) => {
        const value = Buffer.alloc(valueBytes, 'v')
        return { topic: topics[index]!, messages: Array.from({ length: records }, () => ({ key, value })) }
      })
      await transaction.sendBatch({ acks: -1, compression: CompressionTypes.None, topicMessages })
      await transaction.commit()
    },
    () => producer.disconnect(),
  )
}

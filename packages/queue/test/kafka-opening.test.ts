import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { QueueUnavailableError } from '../src/index.ts'
import { createKafkaQueue } from '../src/kafka/kafka-queue.ts'
import { kafka, openKafka, record, uniqueName } from './kafka-fixture.ts'

describe('opening a queue on Kafka', () => {
  it('fails within the budget if no broker listens', async () => {
    const opening = createKafkaQueue({ bootstrap: [{ host: '127.0.0.1', port: 1 }], settings: { budgetMs: 200 } })
    await expect(opening).rejects.toThrow(QueueUnavailableError)
    await expect(opening).rejects.toThrow(/127\.0\.0\.1:1 cannot be reached/)
  })

  it('fails within the budget if the port never answers', async () => {
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const opening = createKafkaQueue({ bootstrap: [{ host: '127.0.0.1', port }], settings: { budgetMs: 200 } })
    await expect(opening).rejects.toThrow(QueueUnavailableError)
    server.close()
  })

  it('fails if the client.properties file cannot be read', async () => {
    const opening = createKafkaQueue({ bootstrap: [{ host: '127.0.0.1', port: 1 }], kafkaConfig: '/no/such/file' })
    await expect(opening).rejects.toThrow(expect.objectContaining({ code: 'invalid_kafka_config' }))
  })
})

describe.skipIf(kafka === null)('opening a queue on a real Kafka', () => {
  it('finds a broker that answers after one that does not', async () => {
    const [host, port] = kafka!.split(':')
    const bootstrap = [
      { host: '127.0.0.1', port: 1 },
      { host: host!, port: Number(port) },
    ]
    const queue = await createKafkaQueue({ bootstrap })
    expect(await queue.describe(['no-such-topic'])).toEqual([])
    await queue.close()
  })

  it('refuses a transaction timeout that the broker does not allow', async () => {
    const queue = await openKafka()
    const id = uniqueName('opening')
    const opening = queue.openWriter({ id, claim: 'run', transactionTimeoutMs: 2_000_000_000 })
    await expect(opening).rejects.toThrow(expect.objectContaining({ code: 'unsupported_broker' }))
    await queue.close()
  })

  it('ends running calls when it is closed', async () => {
    const topic = uniqueName('opening')
    const queue = await openKafka()
    await queue.createTopics([{ name: topic }])
    await queue.append([record(topic, 'one')])
    const waiting = queue.read({ topic, partition: 0, offset: 1n }, { maxBytes: 1, maxWaitMs: 60_000 })
    const refused = expect(waiting).rejects.toThrow(QueueUnavailableError)
    await queue.close()
    await refused
    await expect(queue.describe()).rejects.toThrow(QueueUnavailableError)
  })
})

import { expect, test } from 'vitest'
import type { BrokerAddress } from '../../queue-url.ts'
import type { BrokerConnection } from './broker-connection.ts'
import type { Connections } from './connections.ts'
import { defaultKafkaSettings } from './kafka-settings.ts'
import { createMetadata } from './metadata.ts'

const addresses: BrokerAddress[] = [1, 2, 3].map((port) => ({ host: 'broker', port }))

/** Three brokers, each with its own list of topics. The client starts with the first one. */
function createBrokers() {
  const listed = new Map(addresses.map(({ port }) => [port, new Set(['data'])]))
  const away = new Set<number>()
  const failures = new Map<number, number>()
  const asked: number[] = []
  const connectionTo = (port: number) =>
    ({
      usable: true,
      async request(_api: unknown, names: string[]) {
        asked.push(port)
        const topics = names.map((name) => {
          if (!listed.get(port)!.has(name)) return { errorCode: 3, name, partitions: [] }
          const partition = { partitionIndex: 0, leaderId: 1, leaderEpoch: 0, replicaNodes: [1, 2, 3] }
          return { errorCode: 0, name, topicId: `id of ${name}`, isInternal: false, partitions: [partition] }
        })
        return { brokers: addresses.map(({ host, port }) => ({ nodeId: port, host, port })), topics }
      },
    }) as unknown as BrokerConnection
  const connections = {
    async to({ port }: BrokerAddress) {
      if (away.has(port)) throw new Error(`broker ${port} is away`)
      return connectionTo(port)
    },
    lastFailure: ({ port }: BrokerAddress) => failures.get(port) ?? 0,
  } as Connections
  return { listed, away, failures, asked, metadata: createMetadata(addresses, connections, defaultKafkaSettings) }
}

test('an existing topic is not reported as deleted if one broker does not list it', async () => {
  const { listed, metadata } = createBrokers()
  await metadata.leader('data', 0)
  listed.get(1)!.delete('data')
  expect([...(await metadata.fetch(['data'])).keys()]).toEqual(['data'])
  metadata.forget('data')
  expect(await metadata.leader('data', 0)).toMatchObject({ node: 1 })
})

test('a topic that most brokers no longer list is reported as deleted', async () => {
  const { listed, away, metadata } = createBrokers()
  await metadata.leader('data', 0)
  for (const topics of listed.values()) topics.clear()
  away.add(3)
  metadata.forget('data')
  await expect(metadata.leader('data', 0)).rejects.toMatchObject({ code: 'unknown_topic' })
})

test('a topic is not reported as deleted while too few brokers answer', async () => {
  const { listed, away, metadata } = createBrokers()
  await metadata.leader('data', 0)
  listed.get(1)!.delete('data')
  away.add(2).add(3)
  await expect(metadata.fetch(['data'])).rejects.toThrow('too few others answered')
})

test('a new topic is reported as existing if any broker lists it', async () => {
  const { listed, metadata } = createBrokers()
  listed.get(1)!.delete('data')
  expect([...(await metadata.fetch(['data', 'other'])).keys()]).toEqual(['data'])
})

test('each refresh asks another broker, even one that failed before', async () => {
  const { asked, failures, metadata } = createBrokers()
  failures.set(2, 1)
  for (let count = 0; count < 3; count++) await metadata.refresh(['data'])
  await metadata.fetch(['data'])
  await metadata.fetch(['data'])
  expect(asked).toEqual([2, 3, 1, 1, 1])
})

test('brokers that failed are asked last, the newest failure at the end', async () => {
  const { asked, failures, away, metadata } = createBrokers()
  failures.set(1, 2).set(2, 1)
  await metadata.fetch(['data'])
  away.add(3)
  await metadata.fetch(['data'])
  away.add(2)
  await metadata.fetch(['data'])
  expect(asked).toEqual([3, 2, 1])
})

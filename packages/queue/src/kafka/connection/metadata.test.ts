import { expect, test } from 'vitest'
import type { BrokerAddress } from '../../queue-url.ts'
import type { BrokerConnection } from './broker-connection.ts'
import type { Connections } from './connections.ts'
import { defaultKafkaSettings } from './kafka-settings.ts'
import { createMetadata } from './metadata.ts'

const addresses: BrokerAddress[] = [1, 2, 3].map((port) => ({ host: 'broker', port }))

/** Three brokers, each with the topics that it knows. The client asks the first one unless told otherwise. */
function createBrokers() {
  const known = new Map(addresses.map(({ port }) => [port, new Set(['data'])]))
  const away = new Set<number>()
  const silent = new Map<number, number>()
  const asked: number[] = []
  const connectionTo = (port: number) =>
    ({
      usable: true,
      async request(_api: unknown, names: string[]) {
        asked.push(port)
        const topics = names.map((name) => {
          if (!known.get(port)!.has(name)) return { errorCode: 3, name, partitions: [] }
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
    silence: ({ port }: BrokerAddress) => silent.get(port) ?? 0,
  } as Connections
  return { known, away, silent, asked, metadata: createMetadata(addresses, connections, defaultKafkaSettings) }
}

test('a topic that was there is not gone because one broker does not know it', async () => {
  const { known, metadata } = createBrokers()
  await metadata.leader('data', 0)
  known.get(1)!.delete('data')
  expect([...(await metadata.fetch(['data'])).keys()]).toEqual(['data'])
  metadata.forget('data')
  expect(await metadata.leader('data', 0)).toMatchObject({ node: 1 })
})

test('a topic that most brokers do not know any more is gone', async () => {
  const { known, away, metadata } = createBrokers()
  await metadata.leader('data', 0)
  for (const topics of known.values()) topics.clear()
  away.add(3)
  metadata.forget('data')
  await expect(metadata.leader('data', 0)).rejects.toMatchObject({ code: 'unknown_topic' })
})

test('whether a topic is gone stays open while too few brokers answer', async () => {
  const { known, away, metadata } = createBrokers()
  await metadata.leader('data', 0)
  known.get(1)!.delete('data')
  away.add(2).add(3)
  await expect(metadata.fetch(['data'])).rejects.toThrow('too few others answered')
})

test('a topic that was not seen before exists where another broker than the first knows it', async () => {
  const { known, metadata } = createBrokers()
  known.get(1)!.delete('data')
  expect([...(await metadata.fetch(['data', 'other'])).keys()]).toEqual(['data'])
})

test('each refresh asks another broker, also one that did not answer before', async () => {
  const { asked, silent, metadata } = createBrokers()
  silent.set(2, 1)
  for (let count = 0; count < 3; count++) await metadata.refresh(['data'])
  await metadata.fetch(['data'])
  await metadata.fetch(['data'])
  expect(asked).toEqual([2, 3, 1, 1, 1])
})

test('a broker that did not answer is asked after the others, the last one at the end', async () => {
  const { asked, silent, away, metadata } = createBrokers()
  silent.set(1, 2).set(2, 1)
  await metadata.fetch(['data'])
  away.add(3)
  await metadata.fetch(['data'])
  away.add(2)
  await metadata.fetch(['data'])
  expect(asked).toEqual([3, 2, 1])
})

import { registerTopics } from '@headrace/catalog'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { KafkaNode } from '../../../testbed/kafka/kafka-node.ts'
import { type KafkaBroker, startOwnKafka } from '../../../testbed/kafka/start-kafka.ts'
import { connect } from '../clients/json-rpc-client.ts'
import { numbers, type PageJson, type ProblemJson, type RpcMessage, seqsOf } from '../clients/shapes.ts'
import { appendRecords } from '../shop/append-records.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { compileOrders } from '../shop/shop.ts'
import { uniqueTopic } from '../shop/unique-topic.ts'

describe.skipIf(inject('kafka') === null)('a reader of a gateway whose topic is truncated', () => {
  let cluster: KafkaBroker
  let shop: ServedShop

  beforeAll(async () => {
    const started = await startOwnKafka({ nodes: 3, properties: { 'replica.lag.time.max.ms': '2000' } })
    if ('unavailable' in started) throw new Error(started.unavailable)
    cluster = started
    shop = await serveShop({ queueUrl: `kafka://${cluster.bootstrap}`, topics: [orders] })
  })
  afterAll(async () => {
    await shop?.[Symbol.asyncDispose]()
    await cluster?.stop()
  })

  test('gets an error, and never newer records in place of lost ones', async () => {
    const plan = planFaults('topic cut back', { once: 1, scaled: 1, full: 10 }, ['unclean election'])
    for (let round = 0; round < plan.count; round++) {
      const [leader, follower] = [cluster.nodes[round % 3]!, cluster.nodes[(round + 1) % 3]!]
      const topic = await createTopic(leader, follower)
      using reader = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
      await reader.call('subscribe', { topics: [topic], from: 'earliest' })
      await appendRecords(shop.queue, topic, numbers(0, 3))
      await reader.notifications('subscription', 3)
      // The reader gets records that only the leader has, and that are lost with it.
      await follower.kill()
      await appendRecords(shop.queue, topic, numbers(3, 8))
      const read = await reader.notifications('subscription', 8)
      expect(seqsOf(read)).toEqual(numbers(0, 8))
      await leader.kill()
      await follower.restart()
      // The seqs of the writer continue after the lost records.
      await appendRecords(shop.queue, topic, numbers(8, 30))
      plan.hit('unclean election')

      expect([1013, 4413]).toContain((await reader.closed).code)
      expect(reader.messages.filter(({ method }) => method === 'subscription')).toHaveLength(8)
      const from = read.at(-1)!.cursor
      const refused = await answered(() => shop.json<ProblemJson>(`/api/v1/data/${topic}?order=asc&cursor=${from}`))
      expect(refused).toMatchObject({ code: 'position_unavailable', reason: 'truncated' })

      using again = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
      const subscribe = (onGap: string) => again.call('subscribe', { topics: [topic], from, onGap })
      expect((await subscribe('error')).error).toMatchObject({ code: -32002, data: { reason: 'truncated' } })
      await subscribe('skip')
      const all = [...numbers(0, 3), ...numbers(8, 30)]
      expect(seqsOf(await again.notifications('subscription', all.length))).toEqual(all)
      const gaps = again.messages.filter(({ method }: RpcMessage) => method === 'gap')
      expect(gaps.map(({ params }) => params)).toMatchObject([{ reason: 'truncated' }, { reason: 'truncated' }])
      const page = await shop.json<PageJson>(`/api/v1/data/${topic}?order=asc&view=log`)
      expect(seqsOf(page.data)).toEqual(all)
      await leader.restart()
    }
    plan.expectAllHit()
  })

  /** A topic with unclean leader election. */
  async function createTopic(leader: KafkaNode, follower: KafkaNode): Promise<string> {
    const topic = uniqueTopic()
    const admin = new Kafka({ brokers: cluster.bootstrap.split(','), logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    const settings = { 'unclean.leader.election.enable': 'true', 'min.insync.replicas': '1', 'retention.ms': '-1' }
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }))
    const replicaAssignment = [{ partition: 0, replicas: [leader.id, follower.id] }]
    await admin.createTopics({ topics: [{ topic, replicaAssignment, configEntries }], waitForLeaders: false })
    await admin.disconnect()
    await expect.poll(() => shop.queue.describe([topic]), { timeout: 30_000 }).toHaveLength(1)
    const { descriptors } = await compileOrders()
    const lineage = topic.split('.').slice(0, 3).join('.')
    const connector = { owner: 'acme', package: 'shop', version: '1.0.0' }
    const rendering = { message: 'acme.shop.Order', descriptors, key: 'number', time: 'ts', bytes: 'hex' as const }
    await registerTopics(shop.queue, [{ topic, lineage, instance: 'main', connector, ...rendering, partitions: 1 }])
    await shop.waitForTopic(topic)
    return topic
  }
})

/** Retries until the brokers are available. */
async function answered(ask: () => Promise<ProblemJson>): Promise<ProblemJson> {
  for (const deadline = AbortSignal.timeout(60_000); ; deadline.throwIfAborted()) {
    const answer = await ask()
    if (answer.code !== 'overloaded') return answer
  }
}

import { openQueue, PositionLostError, type Queue } from '@headrace/queue'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import type { KafkaNode } from '../../../../scripts/kafka/kafka-node.ts'
import { type KafkaBroker, startOwnKafka } from '../../../../scripts/kafka/start-kafka.ts'
import { record, uniqueName } from '../kafka-fixture.ts'

describe.skipIf(inject('kafka') === null)('a reader of a partition whose log is cut back', () => {
  let cluster: KafkaBroker
  let queue: Queue

  beforeAll(async () => {
    const started = await startOwnKafka({ nodes: 3, properties: { 'replica.lag.time.max.ms': '2000' } })
    if ('unavailable' in started) throw new Error(started.unavailable)
    cluster = started
    queue = await openQueue(`kafka://${cluster.bootstrap}`)
  })
  afterAll(async () => {
    await queue?.close()
    await cluster?.stop()
  })

  it('is told that its position is lost, also where other records lie there by now', async () => {
    const plan = planFaults('log cut back', { once: 1, scaled: 2, full: 10 }, ['unclean election'])
    for (let round = 0; round < plan.count; round++) {
      const [leader, follower] = rotated(cluster.nodes, round)
      const topic = await createTopic(leader!, follower!)
      await append(topic, 3)
      const followed = queue
        .follow([{ topic, partition: 0, offset: 0n }], new AbortController())
        [Symbol.asyncIterator]()
      let offset = (await followed.next()).value!.nextOffset
      // What the leader alone has is read, and lost with it.
      await follower!.kill()
      await append(topic, 5)
      while (offset < 8n) offset = (await followed.next()).value!.nextOffset
      const lost = followed.next()
      const told = expect(lost).rejects.toThrow(
        expect.objectContaining({ offset: 8n, reason: 'truncated', earliest: 0n, end: expect.any(BigInt) }),
      )
      await leader!.kill()
      await follower!.restart()
      await append(topic, 20)
      plan.hit('unclean election')
      await told
      await expect(lost).rejects.toThrow(PositionLostError)
      await leader!.restart()
    }
    plan.expectAllHit()
  })

  /** One whose follower may take over with less than the leader had. */
  async function createTopic(leader: KafkaNode, follower: KafkaNode): Promise<string> {
    const topic = uniqueName('cut-back')
    const admin = new Kafka({ brokers: cluster.bootstrap.split(','), logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    const settings = { 'unclean.leader.election.enable': 'true', 'min.insync.replicas': '1', 'retention.ms': '-1' }
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }))
    const replicaAssignment = [{ partition: 0, replicas: [leader.id, follower.id] }]
    await admin.createTopics({ topics: [{ topic, replicaAssignment, configEntries }], waitForLeaders: false })
    await admin.disconnect()
    await expect.poll(() => queue.describe([topic]), { timeout: 30_000 }).toHaveLength(1)
    return topic
  }

  async function append(topic: string, records: number): Promise<void> {
    await queue.append(Array.from({ length: records }, (_, index) => record(topic, `${index}`)))
  }
})

function rotated<T>(values: readonly T[], by: number): T[] {
  return values.map((_, index) => values[(index + by) % values.length]!)
}

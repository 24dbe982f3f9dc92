import { PositionLostError, UnknownTopicError } from '@headrace/queue'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { Queue, RecordBatch } from '../../src/index.ts'
import { kafka, openKafka, readValues, record, uniqueName } from '../kafka-fixture.ts'

const recordsBefore = 5
const recreations = [
  { holding: 'fewer records', recordsAfter: 2 },
  { holding: 'as many records', recordsAfter: recordsBefore },
  { holding: 'more records', recordsAfter: 9 },
] as const

describe.skipIf(kafka === null)('a reader of a deleted topic', () => {
  const admin = new Kafka({ brokers: [kafka ?? ''], logLevel: logLevel.NOTHING }).admin()
  let queue: Queue

  beforeAll(async () => {
    await admin.connect()
    queue = await openKafka()
  })
  afterAll(async () => {
    await queue?.close()
    await admin.disconnect()
  })

  it('gets an error while it waits, follows or reads', async () => {
    const plan = planFaults('deleted topic', { once: 1, scaled: 2, full: 50 }, ['deleted'])
    for (let round = 0; round < plan.count; round++) {
      const topic = await createFilled(recordsBefore)
      const kept = await createFilled(1)
      const at = { topic, partition: 0, offset: BigInt(recordsBefore) }
      const waiting = expect(queue.read(at, { maxBytes: 1, maxWaitMs: 60_000 })).rejects.toThrow(UnknownTopicError)
      const places = [at, { topic: kept, partition: 0, offset: 0n }]
      const following = expect(collect(queue, places)).rejects.toThrow(UnknownTopicError)
      await admin.deleteTopics({ topics: [topic] })
      await waiting
      await following
      await expect(queue.read(at, { maxBytes: 1 })).rejects.toThrow(UnknownTopicError)
      await expect(queue.latest(topic, 0, Buffer.from('k'))).rejects.toThrow(UnknownTopicError)
      await expect(queue.offsetForTime(topic, 0, 0)).rejects.toThrow(UnknownTopicError)
      plan.hit('deleted')
    }
    plan.expectAllHit()
  })

  it.for(recreations)('does not continue in a new topic with the same name and $holding', async ({ recordsAfter }) => {
    const plan = planFaults(`topic with ${recordsAfter} records created again`, { once: 1, scaled: 2, full: 30 }, [])
    for (let round = 0; round < plan.count; round++) {
      const topic = await createFilled(recordsBefore)
      const [before] = await queue.describe([topic])
      const followed = queue
        .follow([{ topic, partition: 0, offset: 0n }], new AbortController())
        [Symbol.asyncIterator]()
      expect(count((await followed.next()).value!)).toBe(recordsBefore)

      await admin.deleteTopics({ topics: [topic] })
      await createFilled(recordsAfter, topic)
      const at = { topic, partition: 0, offset: BigInt(recordsBefore) }
      const bounds = { earliest: 0n, end: BigInt(recordsAfter) }
      const recreated = expect.objectContaining({ ...at, ...bounds, reason: 'recreated' })
      await expect(followed.next()).rejects.toThrow(recreated)
      const withId = queue.read({ ...at, topicId: before!.id }, { maxBytes: 1 })
      await expect(withId).rejects.toThrow(PositionLostError)
      await expect(withId).rejects.toThrow(recreated)
      await expect(collect(queue, [{ ...at, topicId: before!.id }])).rejects.toThrow(recreated)
      if (recordsAfter < recordsBefore) {
        const outOfRange = expect.objectContaining({ ...at, ...bounds, reason: 'out_of_range' })
        await expect(queue.read(at, { maxBytes: 1 })).rejects.toThrow(outOfRange)
      }
      expect(await readValues(queue, topic)).toHaveLength(recordsAfter)
      plan.hit('created again')
    }
    plan.expectAllHit()
  })

  /** Writes with another queue, as another process would, so that the queue under test only reads the topic. */
  async function createFilled(records: number, topic = uniqueName('filled')): Promise<string> {
    const other = await openKafka()
    // A topic of the same name may still be in deletion.
    await expect.poll(() => other.describe([topic]), { timeout: 30_000 }).toEqual([])
    await other.createTopics([{ name: topic }])
    await other.append(Array.from({ length: records }, (_, index) => record(topic, `${index}`)))
    await other.close()
    return topic
  }
})

async function collect(queue: Queue, places: Parameters<Queue['follow']>[0]): Promise<void> {
  for await (const _ of queue.follow(places, { signal: AbortSignal.timeout(60_000) }));
}

function count(batch: RecordBatch): number {
  return [...batch.records()].length
}

import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queue } from '../src/index.ts'
import { kafka, openKafka, record, uniqueName } from './kafka-fixture.ts'

// The fault tests and the end-to-end tests compare with Kafka's console consumer.
describe.skipIf(kafka === null)('a reader of another project', () => {
  let queue: Queue

  beforeAll(async () => {
    queue = await openKafka({ compression: 'none' })
  })
  afterAll(() => queue?.close())

  it('reads exactly the committed records', async () => {
    const topic = uniqueName('readers')
    await queue.createTopics([{ name: topic }])
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    for (const value of ['a', 'b', 'c', 'd', 'last']) {
      const transaction = writer.begin()
      const headers = [{ key: 'at', value: Buffer.from([1, 2]) }]
      transaction.send(record(topic, value, { headers, time: 12_345 }))
      // Longer than one batch, so that a part is sent before the end.
      for (let index = 0; index < 40; index++) transaction.send(record(topic, `${value}-${'x'.repeat(10_000)}`))
      if (value === 'b' || value === 'd') await transaction.abort()
      else await transaction.commit()
    }
    await writer.close()

    const seen = await readWithKafkajs(topic, 3 * 41)
    const values = seen.map(({ message }) => message.value!.toString().split('-')[0])
    expect(values).toEqual(['a', 'c', 'last'].flatMap((value) => Array.from({ length: 41 }, () => value)))
    expect(seen[0]!.message).toMatchObject({ timestamp: '12345', headers: { at: Buffer.from([1, 2]) } })
  })

  async function readWithKafkajs(name: string, count: number) {
    const client = new Kafka({ brokers: [kafka!], logLevel: logLevel.NOTHING })
    const consumer = client.consumer({ groupId: name, readUncommitted: false })
    await consumer.connect()
    await consumer.subscribe({ topic: name, fromBeginning: true })
    const seen: Parameters<NonNullable<Parameters<typeof consumer.run>[0]>['eachMessage'] & {}>[0][] = []
    await new Promise<void>((resolve, reject) => {
      consumer.run({ eachMessage: async (each) => void (seen.push(each) >= count && resolve()) }).catch(reject)
    })
    await consumer.disconnect()
    return seen
  }
})

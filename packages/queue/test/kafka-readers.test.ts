import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { consoleConsumer } from '../../testbed/kafka/console-consumer.ts'
import type { Queue } from '../src/index.ts'
import { kafka, openKafka, readValues, record, uniqueName } from './kafka-fixture.ts'

describe.skipIf(kafka === null)('readers of other projects', () => {
  const topic = uniqueName('readers')
  let queue: Queue

  beforeAll(async () => {
    queue = await openKafka()
    await queue.createTopics([{ name: topic }])
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    for (let unit = 0; unit < 6; unit++) {
      const transaction = writer.begin()
      // Longer than one batch, so that a part is sent before the end, and long enough to be compressed.
      for (let index = 0; index < 40; index++) transaction.send(record(topic, `${unit}-${index}-${'x'.repeat(10_000)}`))
      if (unit % 2 === 0) await transaction.commit()
      else await transaction.abort()
    }
    await writer.close()
  })
  afterAll(() => queue?.close())

  const committed = [0, 2, 4].flatMap((unit) => Array.from({ length: 40 }, (_, index) => `${unit}-${index}`))
  const identity = (value: string) => value.slice(0, value.indexOf('-x'))

  it('see the same records as this engine', async () => {
    expect((await readValues(queue, topic)).map(identity)).toEqual(committed)
  })

  it('Kafka’s console consumer sees exactly what was committed', async () => {
    const javaCommand = inject('kafkaJavaCommand')!
    const seen = await consoleConsumer({ javaCommand, bootstrap: kafka!, topic, expected: committed.length })
    expect(seen.map(({ value }) => identity(value!))).toEqual(committed)
    expect(seen.every(({ key }) => key === 'k')).toBe(true)
  })

  it('kafkajs sees exactly what was committed', async () => {
    const plain = uniqueName('readers-plain')
    await queue.createTopics([{ name: plain }])
    const uncompressed = await openKafka({ compression: 'none' })
    const writer = await uncompressed.openWriter({ id: plain, claim: 'run' })
    for (const value of ['a', 'b', 'c']) {
      const transaction = writer.begin()
      transaction.send(record(plain, value, { headers: [{ key: 'at', value: Buffer.from([1, 2]) }], time: 12_345 }))
      if (value === 'b') await transaction.abort()
      else await transaction.commit()
    }
    await uncompressed.close()

    const seen = await readWithKafkajs(plain, 2)
    expect(seen.map(({ message }) => message.value!.toString())).toEqual(['a', 'c'])
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

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Compression, compressions, type Queue } from '../src/index.ts'
import { createKafkaQueue } from '../src/kafka/kafka-queue.ts'
import type { StoredBatch } from '../src/record-batch/stored-batch.ts'
import { brokerAddresses, kafka, record, uniqueName } from './kafka-fixture.ts'

/** The writer names a compression for all topics but this one, whose compression is in `client.properties`. */
const inProperties: Compression = 'lz4'

describe.skipIf(kafka === null)('compressed batches on Kafka', () => {
  const prefix = uniqueName('compressed')
  const topicOf = (compression: Compression) => `${prefix}.${compression}`
  const topics = compressions.map(topicOf)
  const counts = [30, 40]
  /** The keys of the committed records of all topics. */
  const expected = topics.flatMap((topic) =>
    ['one', 'two'].flatMap((name, index) => keysOf(topic, name, counts[index]!)),
  )
  let queue: Queue

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headrace-compression-'))
    const kafkaConfig = join(folder, 'client.properties')
    await writeFile(
      kafkaConfig,
      `compression.type=${inProperties}\ncompression.gzip.level=6\ncompression.zstd.level=19\n`,
    )
    queue = await createKafkaQueue({ bootstrap: brokerAddresses(kafka!), kafkaConfig })
    await rm(folder, { recursive: true })
    await queue.createTopics(topics.map((name) => ({ name })))
    const named = compressions.filter((one) => one !== inProperties)
    const compression = new Map(named.map((one) => [topicOf(one), one]))
    const writer = await queue.openWriter({ id: prefix, claim: 'run', compression })
    for (const [name, count, end] of [
      ['one', counts[0]!, 'commit'],
      ['aborted', 50, 'abort'],
      ['two', counts[1]!, 'commit'],
    ] as const) {
      const transaction = writer.begin()
      for (const topic of topics)
        for (const key of keysOf(topic, name, count))
          transaction.send(
            record(topic, `${key} with the same text in all records, `.repeat(5), { key: Buffer.from(key) }),
          )
      await transaction[end]()
    }
    await writer.close()
  })
  afterAll(() => queue?.close())

  it('have the compression of the topic, or else that of client.properties', async () => {
    for (const compression of compressions) {
      const { batches } = await queue.read({ topic: topicOf(compression), partition: 0, offset: 0n }, { maxBytes: 1e6 })
      expect(batches.map((batch) => (batch as StoredBatch).codec)).toEqual([compression, compression])
    }
  })

  it.skipIf(spawnSync('kcat', ['-V']).error)('are read by kcat', async () => {
    const read = await Promise.all(
      topics.map(async (topic) => {
        const { stdout } = await execa('kcat', ['-C', '-q', '-e', '-b', kafka!, '-t', topic, '-f', '%k\n'])
        return stdout.split('\n')
      }),
    )
    expect(read.flat()).toEqual(expected)
  })

  it('are read by the Java client with read_committed', async () => {
    const [command, ...java] = inject('kafkaJavaCommand')!
    const what = ['--include', `${prefix}.*`, '--from-beginning', '--max-messages', `${expected.length}`]
    const printed = ['print.key=true', 'print.value=false'].flatMap((property) => ['--formatter-property', property])
    const consumer = ['--bootstrap-server', kafka!, '--isolation-level', 'read_committed', '--timeout-ms', '60000']
    const args = [...java, 'org.apache.kafka.tools.consumer.ConsoleConsumer', ...consumer, ...what, ...printed]
    const { stdout } = await execa(command!, args)
    const keys = stdout.split('\n').filter((line) => line.startsWith(prefix))
    expect(keys.toSorted()).toEqual(expected.toSorted())
  })

  it('are read by kafkajs, which knows gzip', async () => {
    const topic = topicOf('gzip')
    const wanted = expected.filter((key) => key.startsWith(topic))
    const consumer = new Kafka({ brokers: [kafka!], logLevel: logLevel.NOTHING }).consumer({ groupId: prefix })
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    const keys: string[] = []
    await new Promise<void>((resolve, reject) => {
      const eachMessage = async ({ message }: { message: { key: Buffer | null } }) => {
        if (keys.push(`${message.key}`) === wanted.length) resolve()
      }
      consumer.run({ eachMessage }).catch(reject)
    })
    await consumer.disconnect()
    expect(keys).toEqual(wanted)
  })
})

function keysOf(topic: string, name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${topic}/${name}-${index}`)
}

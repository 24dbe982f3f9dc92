import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import kafkajs from 'kafkajs'
import { type ChainRecord, toChainRecord } from './replayed-chain.ts'

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs

// kafkajs knows this compression, but has no implementation of it.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { buffer: Buffer }) => promisify(zstdCompress)(buffer),
  decompress: promisify(zstdDecompress),
})

/**
 * Reads a topic of one partition with `read_committed`, from the beginning to its current end. Throws after two
 * minutes.
 */
export async function readWithKafkajs(bootstrap: string, topic: string): Promise<ChainRecord[]> {
  const client = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING })
  const end = await endOf(client, topic)
  const consumer = client.consumer({ groupId: randomUUID(), readUncommitted: false })
  const seen: ChainRecord[] = []
  const { promise: read, resolve, reject } = Promise.withResolvers<void>()
  let next = 0n
  const deadline = setTimeout(
    () => reject(new Error(`kafkajs has read ${topic} up to offset ${next} of ${end} only.`)),
    deadlineMs,
  )
  try {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    // kafkajs restarts by itself after temporary errors, e.g. while the broker loads its groups.
    consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => restart || reject(error))
    // `eachBatch` does not get a batch of control records alone, which may be the last one.
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { lastOffset } }) => {
      if (BigInt(lastOffset) >= next) next = BigInt(lastOffset) + 1n
      if (next >= end) resolve()
    })
    const eachBatch = async ({ batch }: { batch: { messages: readonly Message[] } }) => {
      // After a restart it may get some records a second time.
      for (const { key, headers = {} } of batch.messages.filter(({ offset }) => BigInt(offset) >= next)) {
        const list = Object.entries(headers).map(([name, value]) => ({ key: name, value: value as Buffer }))
        seen.push(toChainRecord(key!, list))
      }
    }
    await Promise.race([read, consumer.run({ eachBatch }).then(() => read)])
    return seen
  } finally {
    clearTimeout(deadline)
    await consumer.disconnect()
  }
}

const deadlineMs = 120_000

type Message = Pick<import('kafkajs').KafkaMessage, 'key' | 'headers' | 'offset'>

async function endOf(client: InstanceType<typeof Kafka>, topic: string): Promise<bigint> {
  const admin = client.admin()
  try {
    await admin.connect()
    const [partition] = await admin.fetchTopicOffsets(topic)
    return BigInt(partition!.high)
  } finally {
    await admin.disconnect()
  }
}

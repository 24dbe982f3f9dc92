import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { create, toBinary } from '@bufbuild/protobuf'
import {
  checkpointKey,
  checkpointPartition,
  compileProtos,
  createSystemTopics,
  encodeAt,
  encodeCheckpoint,
  registerTopics,
  type SchemaSet,
  systemTopics,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'

/** Publishes orders like a connector: in transactions, with seqs and a checkpoint. */
export interface Shop {
  /** Publishes the next orders of a topic as one unit, in one transaction. The unit before it becomes final. */
  publish(topic: string, count: number, order?: (number: number) => Partial<Order>): Promise<void>
}

export interface Order {
  number: bigint
  note: string
  parcel: Uint8Array
}

/** Time of order 0; each order is a second later. */
export const shopOpened: number = Date.parse('2026-08-21T10:00:00Z')

export async function openShop(queue: Queue, topics: readonly string[]): Promise<Shop> {
  const lineage = topics[0]!.split('.').slice(0, 3).join('.')
  const writerId = `${lineage}/main`
  const schema = await compileOrders()
  await createSystemTopics(queue)
  await queue.createTopics(topics.map((name) => ({ name })))
  await registerTopics(
    queue,
    topics.map((topic) => ({
      topic,
      lineage,
      instance: 'main',
      connector: { owner: 'acme', package: 'shop', version: '1.0.0' },
      message: 'acme.shop.Order',
      descriptors: schema.descriptors,
      key: 'number',
      time: 'ts',
      bytes: 'hex' as const,
      partitions: 1,
    })),
  )
  const writer = await queue.openWriter({ id: writerId, claim: randomUUID() })
  const message = schema.message('acme.shop.Order')!
  const nextSeq: Record<string, readonly number[]> = Object.fromEntries(topics.map((topic) => [topic, [0]]))
  let unit = 0
  return {
    async publish(topic, count, order = () => ({})) {
      const final = unit === 0 ? null : { unit, nextSeq: { ...nextSeq } }
      const first = nextSeq[topic]![0]!
      unit++
      const transaction = writer.begin()
      for (let number = first; number < first + count; number++) {
        const time = shopOpened + number * 1000
        const fields = { number: BigInt(number), ts: { seconds: BigInt(time / 1000), nanos: 0 }, ...order(number) }
        const headers = [{ key: 'at', value: encodeAt(unit, number) }]
        transaction.send({ topic, key: null, value: toBinary(message, create(message, fields)), headers, time })
      }
      nextSeq[topic] = [first + count]
      const value = encodeCheckpoint({ position: unit, unit, previous: unit - 1 || null, nextSeq, final, time: {} })
      const [partition, key] = [checkpointPartition(writerId), checkpointKey(writerId)]
      transaction.send({ topic: systemTopics.checkpoints, partition, key, value, time: Date.now() })
      await transaction.commit()
    },
  }
}

export async function compileOrders(): Promise<SchemaSet> {
  const { schema, problems } = await compileProtos([fileURLToPath(new URL('shop.proto', import.meta.url))])
  if (!schema) throw new Error(JSON.stringify(problems))
  return schema
}

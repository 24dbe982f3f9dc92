import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { create, toBinary } from '@bufbuild/protobuf'
import { compileProtos, createSystemTopics, encodeAt, registerTopics, type SchemaSet } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'

/** Publishes orders to topics, as a connector does: in transactions, each record with its unit number and seq. */
export interface Shop {
  /** Publishes the next orders of a topic in one transaction. */
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
  const schema = await compileOrders()
  await createSystemTopics(queue)
  await queue.createTopics(topics.map((name) => ({ name })))
  await registerTopics(
    queue,
    topics.map((topic) => ({
      topic,
      lineage: 'acme.shop.1_0_0',
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
  const writer = await queue.openWriter({ id: 'acme.shop.1_0_0/main', claim: randomUUID() })
  const message = schema.message('acme.shop.Order')!
  const next = new Map<string, number>()
  return {
    async publish(topic, count, order = () => ({})) {
      const first = next.get(topic) ?? 0
      next.set(topic, first + count)
      const transaction = writer.begin()
      for (let number = first; number < first + count; number++) {
        const time = shopOpened + number * 1000
        const fields = { number: BigInt(number), ts: { seconds: BigInt(time / 1000), nanos: 0 }, ...order(number) }
        const headers = [{ key: 'at', value: encodeAt(number + 1, number) }]
        transaction.send({ topic, key: null, value: toBinary(message, create(message, fields)), headers, time })
      }
      await transaction.commit()
    },
  }
}

async function compileOrders(): Promise<SchemaSet> {
  const { schema, problems } = await compileProtos([fileURLToPath(new URL('shop.proto', import.meta.url))])
  if (!schema) throw new Error(JSON.stringify(problems))
  return schema
}

import { inject } from 'vitest'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { uniqueTopic } from '../shop/unique-topic.ts'

/** A gateway on one of the engines of the queue. */
export interface Engine {
  readonly name: string
  /** Why the engine is not available on this machine. */
  readonly missing?: string
  /** @param topic - The name of the topic. Kafka ignores it, because other tests use the same brokers. */
  serve(topic?: string): Promise<ServedShop & { readonly topic: string }>
}

export const engines: readonly Engine[] = [
  {
    name: 'embedded',
    serve: async (topic = orders) => ({ ...(await serveShop({ topics: [topic] })), topic }),
  },
  {
    name: 'Kafka',
    ...(inject('kafka') === null && { missing: 'there is no Kafka' }),
    async serve() {
      const topic = uniqueTopic()
      const shop = await serveShop({ queueUrl: `kafka://${inject('kafka')}`, topics: [topic] })
      return { ...shop, topic }
    },
  },
]

import { inject } from 'vitest'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { uniqueTopic } from '../shop/unique-topic.ts'

/** An engine of the gateway. */
export interface Engine {
  readonly name: string
  /** Why it is not available here. */
  readonly missing?: string
  /** @param topic - Its name, if the queue is not shared with other tests. */
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

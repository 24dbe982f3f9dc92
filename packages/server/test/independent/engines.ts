import { inject } from 'vitest'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { uniqueTopic } from '../shop/unique-topic.ts'

/** An engine under the gateway that others read from. */
export interface Engine {
  readonly name: string
  /** Why it cannot be had here. */
  readonly missing?: string
  /** @param topic - Its name, where no other test's topics are in the way. */
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

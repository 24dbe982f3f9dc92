import { createSystemTopics, writeAdoption } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { walletOf } from './orders.ts'

const topic = 'bench-adopted-orders'

/** Records of a transaction. */
const unit = 500

/** Adopts a topic with orders of another program, in JSON. Returns the topic. */
export async function adoptOrders(queue: Queue, count: number): Promise<string> {
  await queue.createTopics([{ name: topic }])
  for (let start = 0; start < count; start += unit)
    await queue.append(
      Array.from({ length: Math.min(unit, count - start) }, (_, index) => {
        const order = { number: `${start + index}`, wallet: walletOf(start + index) }
        return { topic, key: null, value: Buffer.from(JSON.stringify(order)), time: Date.now() }
      }),
    )
  await createSystemTopics(queue)
  await writeAdoption(queue, topic, {
    ...{ topic, format: 'json', framing: 'raw', keyForm: 'string', bytes: 'base64', partitions: 1 },
  })
  return topic
}

import type { Queue } from '@headrace/queue'
import { openBenchTopic } from '../bench-topic.ts'

/** A topic with records of about 300 bytes of JSON. */
export interface Orders {
  readonly topic: string
  publish(count: number): Promise<void>
}

const proto = 'syntax = "proto3"; package bench; message Order { uint64 number = 1; string wallet = 2; }'
/** Each order is of the next of these wallets. */
export const wallets = 1000

export async function openOrders(queue: Queue): Promise<Orders> {
  const { topic, publish } = await openBenchTopic(queue, { name: 'reading', proto, message: 'Order' })
  let published = 0
  return {
    topic,
    async publish(count) {
      const numbers = Array.from({ length: count }, () => published++)
      await publish(numbers.map((number) => ({ number: BigInt(number), wallet: walletOf(number) })))
    },
  }
}

export function walletOf(order: number): string {
  return `wallet ${order % wallets}`
}

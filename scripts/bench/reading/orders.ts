import { randomUUID } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import { createSystemTopics, encodeAt, registerTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { compileProto } from '../compile-proto.ts'

/** A topic with records of about 300 bytes of JSON. */
export interface Orders {
  readonly topic: string
  publish(count: number): Promise<void>
}

const proto = 'syntax = "proto3"; package bench; message Order { uint64 number = 1; string wallet = 2; }'
/** Each order is of the next of these wallets. */
export const wallets = 1000
const topic = 'bench.reading.1_0_0.bench_Order'

export async function openOrders(queue: Queue): Promise<Orders> {
  const schema = await compileProto(proto)
  const message = schema.message('bench.Order')!
  await createSystemTopics(queue)
  await queue.createTopics([{ name: topic }])
  const lineage = 'bench.reading.1_0_0'
  const connector = { owner: 'bench', package: 'reading', version: '1.0.0' }
  const { descriptors } = schema
  await registerTopics(queue, [
    {
      topic,
      lineage,
      instance: 'main',
      connector,
      message: 'bench.Order',
      descriptors,
      bytes: 'hex',
      partitions: 1,
    },
  ])
  const writer = await queue.openWriter({ id: `${lineage}/main`, claim: randomUUID() })
  let unit = 0
  let seq = 0
  return {
    topic,
    async publish(count) {
      const transaction = writer.begin()
      unit++
      for (let left = count; left > 0; left--, seq++) {
        const value = toBinary(message, create(message, { number: BigInt(seq), wallet: walletOf(seq) } as never))
        const headers = [{ key: 'at', value: encodeAt(unit, seq) }]
        transaction.send({ topic, key: null, value, headers, time: Date.now() })
      }
      await transaction.commit()
    },
  }
}

export function walletOf(order: number): string {
  return `wallet ${order % wallets}`
}

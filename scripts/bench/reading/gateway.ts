import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { createKey } from '@headrace/server'
import { type Program, startProgram } from '../program.ts'
import { adoptOrders } from './adopted-orders.ts'
import { type Orders, openOrders } from './orders.ts'

/** A gateway in its own process, on an embedded queue to which this process publishes. */
export interface BenchGateway {
  program: Program
  readonly url: string
  readonly key: string
  readonly orders: Orders
  /** An adopted topic with the same number of records. */
  readonly adopted: string
  /** Kills the gateway, and starts another one at the same address. */
  restart(): Promise<void>
  close(): Promise<void>
}

const unit = 500

/** @param history - Number of records to publish before the benches. */
export async function openGateway({ history }: { readonly history: number }): Promise<BenchGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  const queueUrl = `embedded:${directory}`
  const queue = await openQueue(queueUrl)
  const orders = await openOrders(queue)
  for (let published = 0; published < history; published += unit) await orders.publish(unit)
  const adopted = await adoptOrders(queue, history)
  const { key } = await createKey(queue, {
    name: 'bench',
    environment: 'development',
    rate: 1_000_000,
    burst: 1_000_000,
    connections: 20_000,
  })
  const program = await startProgram('reading/gateway', queueUrl)
  const url = await program.call<string>('url')
  const gateway: BenchGateway = {
    program,
    url,
    key,
    orders,
    adopted,
    async restart() {
      await gateway.program[Symbol.asyncDispose]()
      gateway.program = await startProgram('reading/gateway', queueUrl, new URL(url).port)
      await gateway.program.call('url')
    },
    async close() {
      await gateway.program[Symbol.asyncDispose]()
      await queue.close()
      await rm(directory, { recursive: true })
    },
  }
  return gateway
}

import type { Bench } from '../bench.ts'
import { startProgram, type Usage } from '../program.ts'
import { type BenchGateway, openGateway } from './gateway.ts'
import { pushLatency } from './pushing.ts'
import type { ReceiverOptions } from './receiver.ts'

/** A gateway with as many subscribed clients as it allows. */
export function manySocketsBenches(quick: boolean): readonly Bench[] {
  const sockets = quick ? 1000 : 10_000
  const name = `WebSocket to ${sockets.toLocaleString('en')}`
  const rounds = quick ? 1 : 3
  const base = { better: 'lower', targets: {}, rounds } as const
  return [
    {
      ...base,
      name: `${name}, idle, memory of each`,
      unit: 'kB',
      contestants: { ours: () => withGateway((gateway) => memoryOfEach(gateway, sockets)) },
      limit: 30,
    },
    {
      ...base,
      name: `${name}, 40 messages/s, p99`,
      unit: 'ms',
      contestants: { ours: () => withGateway((gateway) => latency(gateway, sockets, quick ? 20 : 120)) },
    },
    {
      ...base,
      name: `${name}, all again after a restart`,
      unit: 's',
      contestants: { ours: () => withGateway((gateway) => timeToReconnect(gateway, sockets)) },
    },
  ]
}

async function withGateway(measure: (gateway: BenchGateway) => Promise<number>): Promise<number> {
  const gateway = await openGateway({ history: 0 })
  try {
    return await measure(gateway)
  } finally {
    await gateway.close()
  }
}

/** Resident memory after a garbage collection, minus that before the sockets were opened. */
async function memoryOfEach(gateway: BenchGateway, count: number): Promise<number> {
  await using clients = await startProgram('reading/receivers')
  await clients.call('open', { ...clientOf(gateway), count: 50 })
  await clients.call('close')
  const before = await memory()
  await clients.call('open', { ...clientOf(gateway), count })
  return ((await memory()) - before) / count / 1000

  async function memory(): Promise<number> {
    await gateway.program.call('collectGarbage')
    return (await gateway.program.call<Usage>('usage')).memory
  }
}

async function latency(gateway: BenchGateway, sockets: number, count: number): Promise<number> {
  await using clients = await startProgram('reading/receivers')
  const { orders, program: server } = gateway
  const push = async () => {
    await orders.publish(1)
    return Number(process.hrtime.bigint())
  }
  return await pushLatency({ server, receivers: clientOf(gateway), push }, { clients, sockets, count, share: 0.99 })
}

/** From the moment at which the gateway listens again, in s. */
async function timeToReconnect(gateway: BenchGateway, count: number): Promise<number> {
  await using clients = await startProgram('reading/receivers')
  await clients.call('open', { ...clientOf(gateway), count })
  const reopened = clients.call('reopen', { ...clientOf(gateway), count })
  await gateway.restart()
  const began = performance.now()
  await reopened
  return (performance.now() - began) / 1000
}

function clientOf({ url, key, orders }: BenchGateway): ReceiverOptions {
  const params = { topics: [orders.topic] }
  const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params })
  return { url, protocol: 'websocket', path: `/ws/v1?api_key=${key}`, subscribe }
}

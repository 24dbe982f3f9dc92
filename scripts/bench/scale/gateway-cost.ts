import { setTimeout as delay } from 'node:timers/promises'
import { createToken } from '../../../packages/client/src/token/create-token.ts'
import type { Bench } from '../bench.ts'
import type { Program, Usage } from '../program.ts'
import type { BenchGateway } from '../reading/gateway.ts'
import type { ReceiverOptions } from '../reading/receiver.ts'

export interface GatewayCostOptions {
  readonly gateway: BenchGateway
  readonly clients: Program
  readonly quick: boolean
}

interface Rate {
  /** Units. */
  readonly perSecond: number
  /** Records of a unit. Default 1. */
  readonly unit?: number
}

const sockets = 1000
const lower = { better: 'lower', targets: {} } as const

/** What a socket costs a gateway: idle, for each unit that is written to it by itself, and when it is opened. */
export async function gatewayBenches({ gateway, clients, quick }: GatewayCostOptions): Promise<Bench[]> {
  const { url, key, orders, program: server } = gateway
  const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { topics: [orders.topic] } })
  const webSocket: ReceiverOptions = { url, protocol: 'websocket', path: `/ws/v1?api_key=${key}`, subscribe }
  const sse: ReceiverOptions = { url, protocol: 'sse', path: `/sse/v1?topics=${orders.topic}&api_key=${key}` }
  const rounds = quick ? 1 : 3
  // Of different times, so that none equals another.
  const times = Array.from({ length: sockets }, (_, n) => 3600 + n)
  const tokens = await Promise.all(times.map((expiresIn) => createToken({ apiKey: key, expiresIn })))
  const pathEach = tokens.map((token) => `/ws/v1?api_key=${token}`)
  /** CPU time of the gateway with idle sockets, in ms per second. */
  let idleRate = Number.NaN
  return [
    {
      ...lower,
      name: 'Gateway without sockets',
      unit: 'ms of CPU/s',
      rounds,
      contestants: { ours: () => rateOf(undefined) },
    },
    {
      ...lower,
      name: 'WebSocket, idle',
      unit: 'µs of CPU/s',
      rounds,
      contestants: { ours: idle },
    },
    steady('WebSocket', webSocket, { perSecond: 1 }),
    steady('WebSocket', webSocket, { perSecond: 10 }),
    steady('WebSocket', webSocket, { perSecond: 40 }),
    steady('SSE', sse, { perSecond: 40 }),
    steady('WebSocket', webSocket, { perSecond: 10, unit: 20 }),
    steady('WebSocket', webSocket, { perSecond: 2, unit: 200 }),
    handshake('WebSocket with a key and a subscription', webSocket),
    handshake('WebSocket with its own token and a subscription', { ...webSocket, pathEach }),
    handshake('SSE with a key', sse),
  ]

  async function idle(): Promise<number> {
    const alone = await rateOf(undefined)
    idleRate = await rateOf(webSocket)
    return ((idleRate - alone) * 1000) / sockets
  }

  /** CPU time of the gateway per second, in ms. */
  async function rateOf(receivers: ReceiverOptions | undefined): Promise<number> {
    if (receivers) await clients.call('open', { ...receivers, count: sockets })
    // A ping of each socket and its pong.
    const seconds = quick ? 2 : 20
    const used = await cpuOf(() => delay(seconds * 1000))
    await clients.call('close')
    return used / seconds
  }

  /** Each unit has arrived at all sockets before the next one, so that no two are written together. */
  function steady(name: string, receivers: ReceiverOptions, { perSecond, unit = 1 }: Rate): Bench {
    const count = quick ? 3 : Math.max(10, 2 * perSecond)
    return {
      ...lower,
      name: `${name}, ${perSecond} units/s of ${unit}, each unit`,
      unit: 'µs of CPU',
      rounds,
      contestants: {
        async ours() {
          await clients.call('open', { ...receivers, count: sockets })
          const began = performance.now()
          const used = await cpuOf(async () => {
            for (let sent = 0; sent < count; sent++) {
              const due = delay(1000 / perSecond)
              await orders.publish(unit)
              await clients.call('received', unit)
              await due
            }
          })
          const idleMs = (idleRate * (performance.now() - began)) / 1000
          await clients.call('close')
          return ((used - idleMs) * 1000) / (count * sockets)
        },
      },
    }
  }

  function handshake(name: string, receivers: ReceiverOptions & { readonly pathEach?: readonly string[] }): Bench {
    return {
      name,
      unit: 'handshakes/s of CPU',
      better: 'higher',
      targets: {},
      rounds,
      contestants: {
        async ours() {
          const used = await cpuOf(() => clients.call('open', { ...receivers, count: sockets }))
          await clients.call('close')
          return (sockets * 1000) / used
        },
      },
    }
  }

  /** Of the gateway, in ms. */
  async function cpuOf(work: () => Promise<unknown>): Promise<number> {
    const before = await server.call<Usage>('usage')
    await work()
    return (await server.call<Usage>('usage')).cpuMs - before.cpuMs
  }
}

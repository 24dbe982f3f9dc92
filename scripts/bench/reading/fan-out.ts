import type { Bench, OpenSuite } from '../bench.ts'
import { startProgram } from '../program.ts'
import type { BenchGateway } from './gateway.ts'
import { walletOf, wallets } from './orders.ts'
import { filteredLatency, type Pusher, pushCost, pushLatency, pushRate } from './pushing.ts'
import type { ReceiverOptions } from './receiver.ts'

const sockets = 1000
const stuckSockets = 50
const unit = 20

/** Live messages to many sockets, against `ws.send` to each. */
export async function openFanOut(gateway: BenchGateway, quick: boolean): Promise<OpenSuite> {
  const { orders, key, url } = gateway
  const programs = new AsyncDisposableStack()
  const clients = programs.use(await startProgram('reading/receivers'))
  const sender = programs.use(await startProgram('reading/send'))
  const peer: Pusher = {
    server: sender,
    receivers: { url: await sender.call<string>('url'), protocol: 'websocket', path: '/' },
    async push(count) {
      const at = now()
      await sender.call('send', { text: 'x'.repeat(300), count })
      return at
    },
  }
  const pushed = quick ? 100 : 1000
  const filters = Array.from({ length: wallets }, (_, n) => subscribeTo({ filter: `value.wallet == "${walletOf(n)}"` }))
  const paced = { clients, count: quick ? 20 : 120, share: 0.99 }
  return {
    benches: [
      throughput('WebSocket to 1,000, records one by one', ours(webSocket())),
      throughput('WebSocket to 1,000, units of 20 records', ours(webSocket(), unit)),
      throughput('SSE to 1,000, records one by one', ours(sse())),
      latency('WebSocket to 1,000, 40 messages/s, p99', ours(webSocket())),
      latency('SSE to 1,000, 40 messages/s, p99', ours(sse())),
      {
        name: 'the same by WebSocket, 50 more never read, p99',
        unit: 'ms',
        better: 'lower',
        contestants: {
          ours: () => pushLatency(ours(webSocket()), { ...paced, sockets: sockets - stuckSockets, stuck: stuck() }),
          'all read': () => pushLatency(ours(webSocket()), { ...paced, sockets: sockets - stuckSockets }),
        },
        targets: { 'all read': 1.5 },
      },
      {
        name: 'WebSocket to 1,000 with different filters, 1,000 records',
        unit: 'ms of CPU',
        better: 'lower',
        contestants: {
          ours: () => pushCost(ours(webSocket()), { clients, sockets, count: pushed, subscribeEach: filters }),
          'without filters': () => pushCost(ours(webSocket()), { clients, sockets, count: pushed }),
        },
        targets: { 'without filters': 2 },
      },
      {
        name: 'the same, 40 records/s, p99',
        unit: 'ms',
        better: 'lower',
        contestants: {
          ours: () => filteredLatency(ours(webSocket()), { ...paced, sockets, subscribeEach: filters }),
        },
        targets: {},
        limit: 30,
      },
      {
        name: 'WebSocket to one, commit to push, p50',
        unit: 'ms',
        better: 'lower',
        contestants: { ours: () => pushLatency(ours(webSocket()), { ...paced, sockets: 1, share: 0.5 }) },
        targets: {},
      },
    ],
    close: () => programs.disposeAsync(),
  }

  function throughput(name: string, pusher: Pusher): Bench {
    const count = quick ? 200 : 2000
    return {
      name,
      unit: 'messages/s of CPU',
      better: 'higher',
      contestants: {
        ours: () => pushRate(pusher, { clients, sockets, count }),
        'ws.send': () => pushRate(peer, { clients, sockets, count: count / 10 }),
      },
      targets: { 'ws.send': 10 },
    }
  }

  function latency(name: string, pusher: Pusher): Bench {
    return {
      name,
      unit: 'ms',
      better: 'lower',
      contestants: {
        ours: () => pushLatency(pusher, { ...paced, sockets }),
        'ws.send': () => pushLatency(peer, { ...paced, sockets }),
      },
      targets: {},
      limit: 30,
    }
  }

  function ours(receivers: ReceiverOptions, records = 1): Pusher {
    return {
      server: gateway.program,
      receivers,
      async push(count) {
        for (let left = count; left > 0; left -= records) await orders.publish(records)
        return now()
      },
    }
  }

  function webSocket(from = 'latest'): ReceiverOptions {
    return { url, protocol: 'websocket', path: `/ws/v1?api_key=${key}`, subscribe: subscribeTo({ from }) }
  }

  function subscribeTo(options: Readonly<Record<string, string>>): string {
    const params = { topics: [orders.topic], ...options }
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params })
  }

  function sse(): ReceiverOptions {
    return { url, protocol: 'sse', path: `/sse/v1?topics=${orders.topic}&api_key=${key}` }
  }

  /** Subscribes to the whole history and never reads. */
  function stuck(): ReceiverOptions & { count: number } {
    return { ...webSocket('earliest'), count: stuckSockets }
  }
}

function now(): number {
  return Number(process.hrtime.bigint())
}

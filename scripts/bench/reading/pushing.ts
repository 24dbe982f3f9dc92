import { setTimeout as delay } from 'node:timers/promises'
import type { Program, Usage } from '../program.ts'
import type { ReceiverOptions } from './receiver.ts'

export interface Pusher {
  readonly server: Program
  readonly receivers: ReceiverOptions
  /** Pushes messages one by one. Returns the time, in ns, from which the latency of the last one counts. */
  push(count: number): Promise<number>
}

export interface PushingOptions {
  /** The program with the sockets. */
  readonly clients: Program
  readonly sockets: number
  readonly count: number
}

export interface PacedOptions extends PushingOptions {
  /** The percentile to return as a share, e.g. 0.99. */
  readonly share: number
  /** Further sockets, which never read. */
  readonly stuck?: ReceiverOptions & { readonly count: number }
}

const perSecond = 40
/** Time until the buffers of stuck sockets are full. */
const fillMs = 2000

/** Pushes back to back. Returns the messages received by all sockets per second of the server's CPU time. */
export async function pushRate(pusher: Pusher, { clients, sockets, count }: PushingOptions): Promise<number> {
  await clients.call('open', { ...pusher.receivers, count: sockets })
  const before = await pusher.server.call<Usage>('usage')
  await pusher.push(count)
  await clients.call('received', count)
  const after = await pusher.server.call<Usage>('usage')
  await clients.call('close')
  return (count * sockets * 1000) / (after.cpuMs - before.cpuMs)
}

/**
 * Pushes back to back, to sockets of which each has its own filter and gets an equal share of the messages, or to sockets
 * that get all of them. Returns the CPU time of the server in ms.
 */
export async function pushCost(
  { server, receivers, push }: Pusher,
  { clients, sockets, count, subscribeEach }: PushingOptions & { readonly subscribeEach?: readonly string[] },
): Promise<number> {
  await clients.call('open', { ...receivers, count: sockets, ...(subscribeEach && { subscribeEach }) })
  const arrived = clients.call('receivedByAny', subscribeEach ? count : count * sockets)
  const before = await server.call<Usage>('usage')
  await push(count)
  await arrived
  const after = await server.call<Usage>('usage')
  await clients.call('close')
  return after.cpuMs - before.cpuMs
}

/** Pushes 40 messages per second to sockets of which each has its own filter. Returns a percentile, in ms. */
export async function filteredLatency(
  { receivers, push }: Pusher,
  { clients, sockets, count, share, subscribeEach }: PacedOptions & { readonly subscribeEach: readonly string[] },
): Promise<number> {
  await clients.call('open', { ...receivers, count: sockets, subscribeEach })
  const arrived = clients.call<number[]>('receivedByAny', count)
  const sentAt = await pushPaced(push, count)
  const latencies = (await arrived).map((at, index) => (at - sentAt[index]!) / 1e6).sort((one, other) => one - other)
  await clients.call('close')
  return latencies[Math.ceil(count * share) - 1]!
}

/** Returns when each message was pushed, in ns. */
async function pushPaced(push: Pusher['push'], count: number): Promise<number[]> {
  const sentAt: number[] = []
  for (let next = performance.now(); sentAt.length < count; next += 1000 / perSecond) {
    await delay(next - performance.now())
    sentAt.push(await push(1))
  }
  return sentAt
}

/** Pushes 40 messages per second. Returns a percentile of the latencies of all messages at all sockets, in ms. */
export async function pushLatency(pusher: Pusher, options: PacedOptions): Promise<number> {
  const { clients, sockets, count, share, stuck } = options
  await clients.call('open', { ...pusher.receivers, count: sockets })
  if (stuck) {
    await clients.call('open', { ...stuck, stuck: true })
    await delay(fillMs)
  }
  await clients.call('record', count)
  const sentAt = await pushPaced(pusher.push, count)
  await clients.call('received', count)
  const [latency] = await clients.call<number[]>('latencies', { sentAt, shares: [share] })
  await clients.call('close')
  return latency!
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Program, Usage } from '../program.ts'
import type { ReceiverOptions } from './receiver.ts'

/** A server, and how it is made to push. */
export interface Pusher {
  readonly server: Program
  readonly receivers: ReceiverOptions
  /** Makes it push so many messages, one after the other, and gives the time in ns from which the last one counts. */
  push(count: number): Promise<number>
}

export interface PushingOptions {
  /** The program that holds the sockets. */
  readonly clients: Program
  readonly sockets: number
  /** Messages of one measurement. */
  readonly count: number
}

export interface PacedOptions extends PushingOptions {
  /** The share of all latencies up to the one that is given, e.g. 0.99. */
  readonly share: number
  /** Sockets beside the others that take nothing. */
  readonly stuck?: ReceiverOptions & { readonly count: number }
}

const perSecond = 40
/** Until stuck sockets are full. */
const fillMs = 2000

/** Pushes back to back. Gives the messages that reached a socket, for each second of CPU time that the server spent. */
export async function pushRate(pusher: Pusher, { clients, sockets, count }: PushingOptions): Promise<number> {
  await clients.call('open', { ...pusher.receivers, count: sockets })
  const before = await pusher.server.call<Usage>('usage')
  await pusher.push(count)
  await clients.call('received', count)
  const after = await pusher.server.call<Usage>('usage')
  await clients.call('close')
  return (count * sockets * 1000) / (after.cpuMs - before.cpuMs)
}

/** Pushes 40 messages a second. Gives a percentile, in ms, of the time that each takes to each socket. */
export async function pushLatency(pusher: Pusher, options: PacedOptions): Promise<number> {
  const { clients, sockets, count, share, stuck } = options
  await clients.call('open', { ...pusher.receivers, count: sockets })
  if (stuck) {
    await clients.call('open', { ...stuck, stuck: true })
    await delay(fillMs)
  }
  await clients.call('record', count)
  const sentAt: number[] = []
  for (let next = performance.now(); sentAt.length < count; next += 1000 / perSecond) {
    await delay(next - performance.now())
    sentAt.push(await pusher.push(1))
  }
  await clients.call('received', count)
  const [latency] = await clients.call<number[]>('latencies', { sentAt, shares: [share] })
  await clients.call('close')
  return latency!
}

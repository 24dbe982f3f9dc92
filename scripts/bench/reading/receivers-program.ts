/** Many clients of one server, which count messages and record when they arrive. */
import { setTimeout as wait } from 'node:timers/promises'
import { backoffMs } from '../../../packages/client/src/retry.ts'
import { serveCalls } from '../program.ts'
import { openReceiver, type Receiver, type ReceiverOptions } from './receiver.ts'

interface Opening {
  readonly count: number
  /** First message of each client, instead of `subscribe`. */
  readonly subscribeEach?: readonly string[]
  /** Path and query of each client, instead of `path`. */
  readonly pathEach?: readonly string[]
}

let reading: Receiver[] = []
let stuck: Receiver[] = []
/** Arrival time of each message at each socket, in ns, socket by socket. */
let arrivals: Float64Array = new Float64Array(0)

serveCalls({
  async open({ count, subscribeEach, pathEach, ...options }: ReceiverOptions & Opening) {
    const opened: Receiver[] = []
    // In groups, because servers limit the number of connections that wait to be accepted.
    while (opened.length < count) {
      const some = Array.from({ length: Math.min(50, count - opened.length) }, (_, n) => {
        const subscribe = subscribeEach?.[opened.length + n] ?? options.subscribe
        const path = pathEach?.[opened.length + n] ?? options.path
        return openReceiver({ ...options, path, ...(subscribe !== undefined && { subscribe }) })
      })
      opened.push(...(await Promise.all(some)))
    }
    if (options.stuck) stuck = opened
    else reading = opened
  },
  /** Opens sockets as clients do that have lost their connections: all at once, and again after a failure. */
  async reopen({ count, ...options }: ReceiverOptions & { count: number }) {
    for (const receiver of reading) receiver.close()
    reading = await Promise.all(Array.from({ length: count }, () => openAgain(options)))
  },
  /** Waits until every reading socket has received `count` messages since the last call, or since it was opened. */
  async received(count: number) {
    await Promise.all(reading.map((receiver) => receiver.received(count)))
    for (const receiver of reading) receiver.reset()
  },
  /** Waits until `count` messages have arrived at any reading sockets since they were opened. Returns when, in ns. */
  async receivedByAny(count: number) {
    const times: number[] = []
    const all = Promise.withResolvers<void>()
    for (const receiver of reading)
      receiver.onMessage = (_, at) => {
        if (times.push(at) === count) all.resolve()
      }
    await all.promise
    for (const receiver of reading) receiver.onMessage = undefined
    return times
  },
  /** Records the arrival of the next messages. */
  record(count: number) {
    const times = new Float64Array(reading.length * count)
    arrivals = times
    for (const [index, receiver] of reading.entries())
      receiver.onMessage = (number, at) => {
        times[index * count + number] = at
      }
  },
  /** Percentiles, given as shares, of the times between sending and arrival, in ms. */
  latencies({ sentAt, shares }: { sentAt: readonly number[]; shares: readonly number[] }) {
    for (const receiver of reading) receiver.onMessage = undefined
    const times = arrivals.map((at, index) => (at - sentAt[index % sentAt.length]!) / 1e6).sort()
    return shares.map((share) => times[Math.ceil(times.length * share) - 1]!)
  },
  close() {
    for (const receiver of [...reading, ...stuck]) receiver.close()
    reading = []
    stuck = []
  },
})

async function openAgain(options: ReceiverOptions): Promise<Receiver> {
  for (let attempt = 1; ; attempt++) {
    await wait(backoffMs(attempt))
    try {
      return await openReceiver(options)
    } catch {
      // The gateway is not there yet, or its backlog is full.
    }
  }
}

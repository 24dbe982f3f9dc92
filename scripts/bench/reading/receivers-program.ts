/** Many clients of one server, which count messages and record when they arrive. */
import { serveCalls } from '../program.ts'
import { openReceiver, type Receiver, type ReceiverOptions } from './receiver.ts'

let reading: Receiver[] = []
let stuck: Receiver[] = []
/** Arrival time of each message at each socket, in ns, socket by socket. */
let arrivals: Float64Array = new Float64Array(0)

serveCalls({
  async open({ count, ...options }: ReceiverOptions & { count: number }) {
    const opened: Receiver[] = []
    // In groups, because servers limit the number of connections that wait to be accepted.
    while (opened.length < count) {
      const some = Array.from({ length: Math.min(50, count - opened.length) }, () => openReceiver(options))
      opened.push(...(await Promise.all(some)))
    }
    if (options.stuck) stuck = opened
    else reading = opened
  },
  /** Waits until every reading socket has received `count` messages since the last call, or since it was opened. */
  async received(count: number) {
    await Promise.all(reading.map((receiver) => receiver.received(count)))
    for (const receiver of reading) receiver.reset()
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

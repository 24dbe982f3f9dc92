/** Clients of one server at a time: so many sockets, which count what comes and when. */
import { serveCalls } from '../program.ts'
import { openReceiver, type Receiver, type ReceiverOptions } from './receiver.ts'

let reading: Receiver[] = []
let stuck: Receiver[] = []
/** Time of arrival of each message at each socket, in ns, one socket after the other. */
let arrivals: Float64Array = new Float64Array(0)

serveCalls({
  async open({ count, ...options }: ReceiverOptions & { count: number }) {
    const opened: Receiver[] = []
    // Not all at once: servers queue only so many that they have not accepted yet.
    while (opened.length < count) {
      const some = Array.from({ length: Math.min(50, count - opened.length) }, () => openReceiver(options))
      opened.push(...(await Promise.all(some)))
    }
    if (options.stuck) stuck = opened
    else reading = opened
  },
  /** Waits until every socket that reads has had so many messages since the last call, or since it was opened. */
  async received(count: number) {
    await Promise.all(reading.map((receiver) => receiver.received(count)))
    for (const receiver of reading) receiver.reset()
  },
  /** Notes when the next messages arrive. */
  record(count: number) {
    const times = new Float64Array(reading.length * count)
    arrivals = times
    for (const [index, receiver] of reading.entries())
      receiver.onMessage = (number, at) => {
        times[index * count + number] = at
      }
  },
  /** The times between sending and arrival, in ms, in order: those at the shares asked for. */
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

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fault that affects one request, or its response. */
export interface ProxyFault {
  readonly apiKey: number
  /** With `answer` the broker has already executed the request. */
  readonly what: 'request' | 'answer'
  /**
   * `cut` drops it and the connection. `half-close` drops it and closes the connection from the broker's side only.
   * `hold` delays it until it is released; the broker gets a request even if the client has disconnected by then.
   * `pass` does nothing.
   */
  readonly how: 'cut' | 'half-close' | 'hold' | 'pass'
  /** Number of requests of the API to pass before. Default 0. */
  readonly skip?: number
  /** Only requests whose first bytes contain this text count, e.g. a transactional id. Default: all. */
  readonly containing?: string | undefined
}

export interface Injection {
  /** Resolves when the fault has taken place. */
  readonly happened: Promise<void>
  /** Ends a `hold`. Resolves when the broker has answered the request, or the response has been passed on. */
  release(): Promise<void>
}

/** A proxy between clients and a broker that injects faults. */
export interface KafkaProxy {
  readonly port: number
  /** Set it before the first connection. */
  brokerPort: number
  /** Plans a fault for the next request of an API, or a later one. */
  inject(fault: ProxyFault): Injection
  /** Resolves when the next request of an API, or its response, has been passed on. */
  passed(apiKey: number, what: 'request' | 'answer'): Promise<void>
  /** Number of requests of an API so far. */
  requests(apiKey: number): number
  /** Cuts every connection. */
  cutAll(): void
  close(): Promise<void>
}

interface PlannedFault extends ProxyFault {
  toSkip: number
  readonly happen: () => void
  readonly released: Promise<void>
  readonly completed: () => void
}

export async function startProxy(): Promise<KafkaProxy> {
  const plan: PlannedFault[] = []
  const counts = new Map<number, number>()
  const sockets = new Set<Socket>()

  function onRequest(frame: Buffer): PlannedFault | undefined {
    const apiKey = frame.readInt16BE(4)
    const beginning = frame.subarray(0, searchedBytes)
    counts.set(apiKey, (counts.get(apiKey) ?? 0) + 1)
    const fault = plan.find(
      (planned) => planned.apiKey === apiKey && (!planned.containing || beginning.includes(planned.containing)),
    )
    if (!fault || fault.toSkip-- > 0) return undefined
    plan.splice(plan.indexOf(fault), 1)
    return fault
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const broker = connect(proxy.brokerPort, '127.0.0.1')
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    relay(client, broker, onRequest)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const proxy: KafkaProxy = {
    port: (server.address() as AddressInfo).port,
    brokerPort: 0,
    inject(fault) {
      const happened = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const completed = Promise.withResolvers<void>()
      plan.push({
        ...fault,
        toSkip: fault.skip ?? 0,
        happen: happened.resolve,
        released: released.promise,
        completed: completed.resolve,
      })
      const release = (): Promise<void> => {
        released.resolve()
        return completed.promise
      }
      return { happened: happened.promise, release }
    },
    passed: (apiKey, what) => proxy.inject({ apiKey, what, how: 'pass' }).happened,
    requests: (apiKey) => counts.get(apiKey) ?? 0,
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      proxy.cutAll()
      await once(server.close(), 'close')
    },
  }
  return proxy
}

/** The part of a request that is searched for `containing`. */
const searchedBytes = 1_000

/** After a length of 32 bits, a request has API key, version and correlation id; a response has the correlation id. */
function relay(client: Socket, broker: Socket, onRequest: (frame: Buffer) => PlannedFault | undefined): void {
  const faulty = new Map<number, PlannedFault>()
  const held = new Map<number, PlannedFault>()

  function inject(fault: PlannedFault, passOn: () => void): void {
    if (fault.how === 'pass') {
      passOn()
    } else if (fault.how === 'hold') {
      fault.released.then(() => {
        passOn()
        if (fault.what === 'answer') fault.completed()
      })
    } else if (fault.how === 'half-close') {
      client.end()
      broker.end()
    } else {
      client.destroy()
      broker.destroy()
    }
    fault.happen()
  }

  client.on(
    'data',
    splitFrames((frame) => {
      const fault = onRequest(frame)
      const correlationId = frame.readInt32BE(8)
      if (fault?.what === 'answer') faulty.set(correlationId, fault)
      if (fault?.what !== 'request') return void broker.write(frame)
      if (fault.how === 'hold') held.set(correlationId, fault)
      inject(fault, () => broker.write(frame))
    }),
  )
  broker.on(
    'data',
    splitFrames((frame) => {
      const correlationId = frame.readInt32BE(4)
      held.get(correlationId)?.completed()
      held.delete(correlationId)
      const fault = faulty.get(correlationId)
      if (fault) inject(fault, () => client.write(frame))
      else client.write(frame)
      if (client.destroyed && held.size === 0) broker.destroy()
    }),
  )
  client.on('end', () => client.end())
  client.on('close', () => {
    if (held.size === 0) broker.destroy()
  })
  broker.on('close', () => client.destroy())
}

function splitFrames(onFrame: (frame: Buffer) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0)
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 4 && pending.length >= 4 + pending.readInt32BE(0)) {
      const end = 4 + pending.readInt32BE(0)
      onFrame(pending.subarray(0, end))
      pending = pending.subarray(end)
    }
  }
}

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Something that happens to one request, or to its answer. */
export interface ProxyFault {
  readonly apiKey: number
  /** What it happens to. At the `answer` the broker has done what it was asked. */
  readonly what: 'request' | 'answer'
  /**
   * `cut` loses it and the connection. `half-close` loses it and closes the connection from the broker's side only.
   * `hold` keeps it until it is released; if the client does not wait so long, the broker gets the request all the same.
   * `pass` does no harm.
   */
  readonly how: 'cut' | 'half-close' | 'hold' | 'pass'
  /** Requests of the API to let pass before. Default 0. */
  readonly skip?: number
  /** Only requests count that contain this text near their beginning, e.g. a transactional id. Default: all. */
  readonly containing?: string | undefined
}

export interface Injection {
  /** Resolves when the fault has taken place. */
  readonly happened: Promise<void>
  /** Lets go what is held. Resolves when the broker has dealt with the request, or the answer has been passed on. */
  release(): Promise<void>
}

/** Stands between clients and a broker and harms what it is told to. */
export interface KafkaProxy {
  readonly port: number
  /** Where the broker is. To be set before the first connection. */
  brokerPort: number
  /** Plans a fault for the next request of an API, or a later one. */
  inject(fault: ProxyFault): Injection
  /** Resolves when the next request of an API, or its answer, has been passed on. */
  passed(apiKey: number, what: 'request' | 'answer'): Promise<void>
  /** Requests of an API that have come so far. */
  requests(apiKey: number): number
  /** Cuts every connection. */
  cutAll(): void
  close(): Promise<void>
}

interface PlannedFault extends ProxyFault {
  toSkip: number
  readonly happen: () => void
  readonly released: Promise<void>
  readonly dealtWith: () => void
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
      const dealtWith = Promise.withResolvers<void>()
      plan.push({
        ...fault,
        toSkip: fault.skip ?? 0,
        happen: happened.resolve,
        released: released.promise,
        dealtWith: dealtWith.resolve,
      })
      const release = (): Promise<void> => {
        released.resolve()
        return dealtWith.promise
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

/** Bytes of a request in which an id is looked for. */
const searchedBytes = 1_000

/** Passes frames on: a length of 32 bits, then an API key, a version and a correlation id, or that id alone. */
function relay(client: Socket, broker: Socket, onRequest: (frame: Buffer) => PlannedFault | undefined): void {
  const harmed = new Map<number, PlannedFault>()
  const late = new Map<number, PlannedFault>()

  function harm(fault: PlannedFault, passOn: () => void): void {
    if (fault.how === 'pass') {
      passOn()
    } else if (fault.how === 'hold') {
      fault.released.then(() => {
        passOn()
        if (fault.what === 'answer') fault.dealtWith()
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
      if (fault?.what === 'answer') harmed.set(correlationId, fault)
      if (fault?.what !== 'request') return void broker.write(frame)
      if (fault.how === 'hold') late.set(correlationId, fault)
      harm(fault, () => broker.write(frame))
    }),
  )
  broker.on(
    'data',
    splitFrames((frame) => {
      const correlationId = frame.readInt32BE(4)
      late.get(correlationId)?.dealtWith()
      late.delete(correlationId)
      const fault = harmed.get(correlationId)
      if (fault) harm(fault, () => client.write(frame))
      else client.write(frame)
      if (client.destroyed && late.size === 0) broker.destroy()
    }),
  )
  client.on('end', () => client.end())
  client.on('close', () => {
    if (late.size === 0) broker.destroy()
  })
  broker.on('close', () => client.destroy())
}

function splitFrames(onFrame: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0)
      onFrame(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

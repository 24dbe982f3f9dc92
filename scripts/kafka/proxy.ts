import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between clients and a broker and loses what it is told to. */
export interface KafkaProxy {
  readonly port: number
  /** Where the broker is. To be set before the first connection. */
  brokerPort: number
  /**
   * Loses something about the next request of an API, or a later one, then cuts its connection: the `answer`, so that
   * the broker has done what it was asked, or the `request`. Resolves when it has happened.
   */
  loseNext(apiKey: number, what: 'request' | 'answer', options?: { readonly skip: number }): Promise<void>
  /** Resolves when the next request of an API, or its answer, has been passed on. */
  passed(apiKey: number, what: 'request' | 'answer'): Promise<void>
  /** Cuts every connection. */
  cutAll(): void
  close(): Promise<void>
}

interface Fault {
  readonly apiKey: number
  readonly what: 'request' | 'answer'
  /** `false`: it is only told that it has passed. */
  readonly lose: boolean
  /** Requests of the API to let pass before. */
  skip: number
  readonly happened: () => void
}

export async function startProxy(): Promise<KafkaProxy> {
  const faults: Fault[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const broker = connect(proxy.brokerPort, '127.0.0.1')
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    relay(client, broker, faults)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const proxy: KafkaProxy = {
    port: (server.address() as AddressInfo).port,
    brokerPort: 0,
    loseNext: (apiKey, what, { skip } = { skip: 0 }) =>
      new Promise((happened) => faults.push({ apiKey, what, skip, lose: true, happened })),
    passed: (apiKey, what) => new Promise((happened) => faults.push({ apiKey, what, skip: 0, lose: false, happened })),
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

/** Passes frames on: a length of 32 bits, then an API key, a version and a correlation id, or that id alone. */
function relay(client: Socket, broker: Socket, faults: Fault[]): void {
  const ofAnswers = new Map<number, Fault>()
  const pass = (frame: Buffer, to: Socket, fault: Fault | undefined): void => {
    if (fault?.lose) {
      client.destroy()
      broker.destroy()
    } else {
      to.write(frame)
    }
    fault?.happened()
  }
  client.on(
    'data',
    splitFrames((frame) => {
      const fault = nextFault(faults, frame.readInt16BE(4))
      if (fault?.what === 'answer') ofAnswers.set(frame.readInt32BE(8), fault)
      pass(frame, broker, fault?.what === 'request' ? fault : undefined)
    }),
  )
  broker.on(
    'data',
    splitFrames((frame) => {
      pass(frame, client, ofAnswers.get(frame.readInt32BE(4)))
    }),
  )
  client.on('close', () => broker.destroy())
  broker.on('close', () => client.destroy())
}

function nextFault(faults: Fault[], apiKey: number): Fault | undefined {
  const fault = faults.find((planned) => planned.apiKey === apiKey)
  if (!fault || fault.skip-- > 0) return undefined
  faults.splice(faults.indexOf(fault), 1)
  return fault
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

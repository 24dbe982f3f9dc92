import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number
  /** Plans to cut a connection once this many more bytes have passed in either direction. Resolves when it is cut. */
  cutAfter(bytes: number): Promise<void>
}

/** A proxy to a TCP port of this machine that cuts connections in the middle of a message. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let cut: { bytes: number; readonly done: () => void } | undefined

  function pass(from: Socket, to: Socket): void {
    from.on('data', (chunk) => {
      if (!cut || chunk.length < cut.bytes) {
        if (cut) cut.bytes -= chunk.length
        if (!to.write(chunk)) from.pause()
        return
      }
      to.end(chunk.subarray(0, cut.bytes), () => to.destroy())
      from.destroy()
      cut.done()
      cut = undefined
    })
    to.on('drain', () => from.resume())
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    sockets.add(from)
    from.on('close', () => sockets.delete(from))
  }

  const server = createServer((client) => {
    const socket = connect(target, '127.0.0.1')
    pass(client, socket)
    pass(socket, client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (bytes) => new Promise((done) => (cut = { bytes, done })),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}

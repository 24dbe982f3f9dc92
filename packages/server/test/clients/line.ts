import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a gateway that can be cut. */
export interface Line extends AsyncDisposable {
  readonly url: string
  /** How often open connections were cut. */
  readonly cuts: number
  /** Ends all connections as a broken network does. */
  cut(): void
}

/** Opens a line to a port of this machine. */
export async function openLine(port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let cuts = 0
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    if (sockets.size > 0) cuts++
    for (const socket of sockets) socket.resetAndDestroy()
    sockets.clear()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts
    },
    cut,
    async [Symbol.asyncDispose]() {
      server.close()
      cut()
    },
  }
}

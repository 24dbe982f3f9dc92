import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy of a server. */
export interface TcpProxy {
  readonly port: number
  /** Number of connections so far. */
  readonly connections: number
  /** Stops forwarding bytes on the open connections, which stay open. */
  silence(): void
  /** Breaks the open connections. */
  cut(): void
  close(): Promise<void>
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  let open: { outer: Socket; inner: Socket }[] = []
  let connections = 0
  const server = createServer((outer) => {
    connections++
    const inner = connect(Number(port), hostname)
    for (const socket of [outer, inner]) socket.on('error', () => {})
    outer.pipe(inner).pipe(outer)
    open.push({ outer, inner })
  })
  const cut = () => {
    for (const { outer, inner } of open) for (const socket of [outer, inner]) socket.destroy()
    open = []
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    silence() {
      for (const { outer, inner } of open) {
        outer.unpipe(inner).resume()
        inner.unpipe(outer).resume()
      }
    },
    cut,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        cut()
      }),
  }
}

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Streams } from '../feed/streams.ts'

export interface DrainOptions {
  readonly app: FastifyInstance
  readonly streams: Streams
  readonly connections: ReadonlySet<Socket>
  readonly deadlineMs: number
}

const idleCheckMs = 50

export function trackConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

export function limitSockets(server: Server, sockets: number): void {
  // Without `dropMaxConnection`, a cluster would hand the connection to another process.
  Object.assign(server, { maxConnections: sockets, dropMaxConnection: true })
}

/** Stops listening before it ends the streams, so that clients that reconnect at once reach another gateway. */
export async function drain({ app, streams, connections, deadlineMs }: DrainOptions): Promise<void> {
  app.server.close()
  streams.endAll('draining')
  const idle = setInterval(closeIdle, idleCheckMs)
  const deadline = setTimeout(() => {
    for (const socket of connections) socket.destroy()
  }, deadlineMs)
  closeIdle()
  await app.close()
  clearInterval(idle)
  clearTimeout(deadline)

  function closeIdle(): void {
    app.server.closeIdleConnections()
    // Browsers open connections in advance, which Node does not count as idle.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
}

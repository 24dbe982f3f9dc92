import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Streams } from '../feed/streams.ts'

export interface DrainOptions {
  readonly app: FastifyInstance
  readonly streams: Streams
  readonly connections: ReadonlySet<Socket>
  /** Time after which what is left is cut, in ms. */
  readonly deadlineMs: number
}

const idleCheckMs = 50

/** The open connections of a server, as they are now. */
export function trackConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/** Closes connections beyond a number as soon as they come: nothing is read from them. */
export function limitSockets(server: Server, sockets: number): void {
  // Without the second one, a process of several behind one port would have them handed on to the others.
  Object.assign(server, { maxConnections: sockets, dropMaxConnection: true })
}

/**
 * Ends a gateway's connections: first no new ones, then the streams, so that a client which comes back at once meets
 * another gateway; then what is under way.
 */
export async function drain({ app, streams, connections, deadlineMs }: DrainOptions): Promise<void> {
  app.server.close()
  streams.endAll('draining')
  const idle = setInterval(closeIdle, idleCheckMs)
  const cut = setTimeout(() => {
    for (const socket of connections) socket.destroy()
  }, deadlineMs)
  closeIdle()
  await app.close()
  clearInterval(idle)
  clearTimeout(cut)

  function closeIdle(): void {
    app.server.closeIdleConnections()
    // Node counts a connection on which nothing was ever asked as busy. Browsers open some in advance.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
}

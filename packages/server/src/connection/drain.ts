import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Streams } from '../feed/streams.ts'
import type { Limits } from '../options/limits.ts'

const idleCheckMs = 50

/** Tracks and limits connections from now on. The function that it returns drains the gateway: it closes all of them. */
export function trackConnections(
  app: FastifyInstance,
  streams: Streams,
  { sockets, drainMs }: Limits,
): () => Promise<void> {
  const { server } = app
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  // Without `dropMaxConnection`, a cluster would hand the connection to another process.
  Object.assign(server, { maxConnections: sockets, dropMaxConnection: true })
  return async () => {
    // Before the streams end, so that clients that reconnect at once reach another gateway.
    server.close()
    streams.endAll('draining')
    const idle = setInterval(closeIdle, idleCheckMs)
    const deadline = setTimeout(() => {
      for (const socket of connections) socket.destroy()
    }, drainMs)
    closeIdle()
    await app.close()
    clearInterval(idle)
    clearTimeout(deadline)
  }

  function closeIdle(): void {
    server.closeIdleConnections()
    // Browsers open connections in advance, which Node does not count as idle.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
}

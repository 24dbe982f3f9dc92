import type { FastifyInstance } from 'fastify'
import type { Streams } from '../feed/streams.ts'

/**
 * Ends a gateway's connections: first no new ones, then the streams, so that a client which comes back at once meets
 * another gateway; then what is under way. What has not ended after `deadlineMs` is cut.
 */
export async function drain(app: FastifyInstance, streams: Streams, deadlineMs: number): Promise<void> {
  app.server.close()
  streams.endAll('draining')
  const cut = setTimeout(() => {
    streams.cutAll()
    app.server.closeAllConnections()
  }, deadlineMs)
  await app.close()
  clearTimeout(cut)
}

import { RefusedError, UnavailableError } from '../errors.ts'
import { withDeadline } from '../retry/with-deadline.ts'
import type { Connection, ConnectionRequest } from './connection.ts'
import { connectEvents } from './event-connection.ts'
import { UpgradeFailedError } from './open-socket.ts'
import { connectWebSocket } from './web-socket-connection.ts'

/** Connects one reader, again and again. */
export type Connect = (request: ConnectionRequest) => Promise<Connection>

/** Time in which the service is to say why it refuses a socket, in ms. */
const askMs = 10_000

/**
 * Chooses the protocol: WebSocket, and SSE from then on where sockets do not open although the service would take them,
 * as behind proxies that know no WebSocket.
 */
export function createConnect(transport: 'auto' | 'websocket' | 'sse'): Connect {
  let useEvents = transport === 'sse'
  let failures = 0
  return async (request) => {
    if (useEvents) return connectEvents(request)
    try {
      const connection = await connectWebSocket(request)
      failures = Number.NEGATIVE_INFINITY
      return connection
    } catch (error) {
      if (!(error instanceof UpgradeFailedError)) throw error
      await askWhy(request)
      // The first time it may have been a gateway that was just about to start.
      useEvents = transport === 'auto' && ++failures >= 2
      if (useEvents) return connectEvents(request)
      throw new UnavailableError('service_unavailable', 'The WebSocket did not open.', { cause: error })
    }
  }
}

/** Sockets do not show why an upgrade was refused; the same path asked over HTTP does. */
async function askWhy({ service, signal }: ConnectionRequest): Promise<void> {
  try {
    await withDeadline({ ms: askMs, signal }, (deadline) => service.get('/ws/v1', {}, deadline))
  } catch (error) {
    const wouldTakeIt = error instanceof RefusedError && error.code === 'upgrade_required'
    if (!wouldTakeIt) throw error
  }
}

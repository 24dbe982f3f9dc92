import type { Batch } from '../batch.ts'
import { InvalidOptionError, RefusedError, UnavailableError } from '../errors.ts'
import type { StreamOptions } from '../options.ts'
import { isCursor, type Position } from '../position.ts'
import { createRetry, withDeadline } from '../retry.ts'
import type { ClientContext } from '../settings.ts'
import { createBatches } from './batches.ts'
import type { Connection, ConnectionRequest, StreamMessage } from './connection.ts'
import { connectEvents } from './event-connection.ts'
import { connectWebSocket, UpgradeFailedError } from './web-socket-connection.ts'

/** A connection that brought no record, but lasted as long as this, in ms, has succeeded too. */
const steadyMs = 10_000

/**
 * Reads the log of topics, over one connection after the other.
 *
 * @param places - Topic → the position at which to begin. Moved on with what was read.
 */
export async function* readStream(
  { service, transport, bufferSize, ...settings }: ClientContext,
  { onGap = 'error', signal }: Pick<StreamOptions<string>, 'onGap' | 'signal'>,
  places: Map<string, Position>,
): AsyncGenerator<Batch<unknown>, void, void> {
  const batches = createBatches(places, onGap)
  const connect = createConnect(transport)
  const retry = createRetry({ ...settings, signal })
  for (;;) {
    let connection: Connection | undefined
    let openedAt = Number.POSITIVE_INFINITY
    try {
      connection = await connect({ service, places, onGap, bufferSize, signal })
      fix(places, connection.starts)
      openedAt = performance.now()
      for (;;) {
        const messages = await connection.take()
        // Where a topic cannot be read, each connection tells of its progress before it is ended.
        if (messages.some(isRecord)) retry.succeeded()
        for (const batch of batches.from(messages)) {
          signal?.throwIfAborted()
          yield batch
        }
      }
    } catch (error) {
      // Now, and not after the wait.
      connection?.close()
      if (performance.now() - openedAt > steadyMs) retry.succeeded()
      await retry.after(error)
    } finally {
      connection?.close()
    }
  }
}

function isRecord({ kind }: StreamMessage): boolean {
  return kind === 'record'
}

/** A name such as `latest` is another place a moment later. A cursor moves with what was read, gaps included, only. */
function fix(places: Map<string, Position>, starts: ReadonlyMap<string, string>): void {
  for (const [topic, start] of starts) if (!isCursor(places.get(topic)!)) places.set(topic, start)
}

/**
 * Topic → the position at which to begin.
 *
 * @throws {InvalidOptionError}
 */
export function startPlaces(
  { topics, from }: Pick<StreamOptions<string>, 'topics' | 'from'>,
  otherwise: Position,
): Map<string, Position> {
  if (topics.length === 0) throw new InvalidOptionError('topics is empty. Name at least one topic.')
  const positionOf = typeof from === 'object' && from !== null ? (topic: string) => from[topic] : () => from
  return new Map(topics.map((topic) => [topic, positionOf(topic) || otherwise]))
}

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

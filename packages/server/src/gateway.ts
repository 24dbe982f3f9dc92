import type { AddressInfo } from 'node:net'
import { createSystemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createAdmission } from './access/admission.ts'
import { followKeys } from './access/keys/key-directory.ts'
import type { Environment } from './access/keys/key-format.ts'
import { createKeyLimits } from './access/limits/key-limits.ts'
import { addDocumentRoutes } from './api-documents/document-routes.ts'
import { createFeeds } from './feed/feeds.ts'
import { createStreams } from './feed/streams.ts'
import { createWholeUnits } from './feed/whole-units.ts'
import { createCanonicalViews } from './history/canonical-views.ts'
import { createHeads } from './history/heads.ts'
import { createHistory } from './history/history.ts'
import { drain, trackConnections } from './operations/drain.ts'
import { limits as defaultLimits, type Limits } from './operations/limits.ts'
import { createApp } from './rest/app.ts'
import { addDataRoute } from './rest/data-route.ts'
import { addHealthRoutes } from './rest/health-routes.ts'
import { addTopicRoutes } from './rest/topic-routes.ts'
import { addStreamRoute } from './sse/stream-route.ts'
import { followTopics } from './topics/topic-directory.ts'
import { addWebSocket } from './websocket/server.ts'

export interface GatewayOptions {
  readonly queue: Queue
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** Port to listen on; 0 takes a free one. Default 8080. */
  readonly port?: number
  /** Whose keys it takes: `hr_live_…` for `production`, `hr_test_…` for `development`, which is the default. */
  readonly environment?: Environment
  readonly log: Logger
}

/** A running gateway. */
export interface Gateway {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string
  /**
   * Stops accepting, tells every stream where it stands and ends it, and lets requests under way finish. Resolves when
   * no connection is left, after a few seconds at most. The queue stays open. May be called twice.
   */
  close(): Promise<void>
}

/**
 * Starts a gateway: history over REST, live data over WebSocket and SSE.
 *
 * It keeps no state of its own: any number of them may run over one queue, and one may be killed at any time. Resolves
 * once it listens and knows every key and topic there is.
 *
 * @throws {QueueUnavailableError} the queue cannot be reached.
 * @throws `EADDRINUSE` and the like from the operating system.
 */
export function createGateway(options: GatewayOptions): Promise<Gateway> {
  return startGateway(options, defaultLimits)
}

/** The same with other limits, for tests that cannot wait as long or send as much as clients do. */
export async function startGateway(options: GatewayOptions, limits: Limits): Promise<Gateway> {
  const { queue, log, host = '127.0.0.1', port = 8080, environment = 'development' } = options
  const stop = new AbortController()
  const { signal } = stop
  try {
    await createSystemTopics(queue)
    const history = createHistory(queue, limits.historyBytes)
    const heads = createHeads(history)
    const canonicalViews = createCanonicalViews(queue)
    const keyLimits = createKeyLimits()
    const wholeUnits = createWholeUnits(queue)
    const keys = await followKeys({ queue, environment, signal, log })
    const topics = await followTopics({ queue, signal, log })
    const streams = createStreams({ keys, keyLimits, history, wholeUnits, limits, log })
    const feeds = createFeeds({ queue, history, topics, limits, signal, log })
    const admission = createAdmission({ keys, limits: keyLimits, environment })

    let draining = false
    const isDraining = () => draining
    const app = createApp({ keys, limits, log, isDraining })
    const reading = { queue, topics, history, heads, canonicalViews, feeds, streams }
    const shared = { ...reading, admission, keys, keyLimits, limits, log, isDraining }
    addHealthRoutes(app, queue)
    addDocumentRoutes(app, limits)
    addTopicRoutes(app, shared)
    addDataRoute(app, shared)
    addStreamRoute(app, shared)
    addWebSocket(app, shared)
    const connections = trackConnections(app.server)
    await app.listen({ host, port })

    let closing: Promise<void> | undefined
    const close = async () => {
      draining = true
      await drain({ app, streams, connections, deadlineMs: limits.drainMs })
      stop.abort()
    }
    return { url: urlOf(app), close: () => (closing ??= close()) }
  } catch (error) {
    stop.abort()
    throw error
  }
}

function urlOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

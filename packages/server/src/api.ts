import type { Queue } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createAdmission } from './access/admission.ts'
import { followKeys } from './access/keys/key-directory.ts'
import type { Environment } from './access/keys/key-format.ts'
import { createKeyLimits } from './access/limits/key-limits.ts'
import { addDocumentRoutes, addFrontPage } from './api-documents/document-routes.ts'
import { createFeeds, type Feeds } from './feed/feeds.ts'
import { createStreams, type Streams } from './feed/streams.ts'
import { createWholeUnits } from './feed/whole-units.ts'
import { createCanonicalViews } from './history/canonical-views.ts'
import { createHeads } from './history/heads.ts'
import { createHistory } from './history/history.ts'
import type { GatewayMeter } from './metrics/gateway-meter.ts'
import type { Limits } from './options/limits.ts'
import { createApp } from './rest/app.ts'
import { addDataRoute } from './rest/data-route.ts'
import { addHealthRoutes } from './rest/health-routes.ts'
import { addTopicRoutes } from './rest/topic-routes.ts'
import { addUsageRoute } from './rest/usage-route.ts'
import { addStreamRoute } from './sse/stream-route.ts'
import { followTopics } from './topics/topic-directory.ts'
import type { UsageMeter } from './usage/usage-meter.ts'
import { addWebSocket } from './websocket/server.ts'

export interface Api {
  readonly app: FastifyInstance
  readonly streams: Streams
  readonly feeds: Feeds
}

export interface ApiOptions {
  readonly queue: Queue
  readonly environment: Environment
  readonly gateways: number
  readonly limits: Limits
  readonly meter: GatewayMeter
  readonly usage: UsageMeter
  readonly log: Logger
  readonly signal: AbortSignal
  isDraining(): boolean
}

/** Resolves when every key and topic has been read. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { queue, environment, gateways, limits, meter, usage } = options
  const history = createHistory(queue, limits.historyBytes, meter.caches.history)
  const heads = createHeads(history)
  const canonicalViews = createCanonicalViews(queue)
  const wholeUnits = createWholeUnits(queue)
  const keyLimits = createKeyLimits({ gateways, connections: limits.connections })
  const keys = await followKeys({ ...options, environment })
  const topics = await followTopics(options)
  const streams = createStreams({ ...options, keys, keyLimits, history, wholeUnits, countEnd: meter.countEnd })
  const feeds = createFeeds({ ...options, history, topics })
  const admission = createAdmission({ keys, limits: keyLimits, usage, environment })

  const app = createApp({ ...options, keys, admission })
  const shared = { ...options, admission, keyLimits, topics, history, heads, canonicalViews, feeds, streams }
  addHealthRoutes(app, queue)
  addFrontPage(app)
  addDocumentRoutes(app, limits)
  addTopicRoutes(app, shared)
  addDataRoute(app, shared)
  addUsageRoute(app, shared)
  addStreamRoute(app, shared)
  addWebSocket(app, shared)
  return { app, streams, feeds }
}

import { hideOwnHeaders } from '@headrace/catalog'
import type { FastifyInstance } from 'fastify'
import { createAdmission } from './access/admission.ts'
import { createAddressReader } from './access/client-address.ts'
import { keylessKey } from './access/keyless.ts'
import { followKeys } from './access/keys/key-directory.ts'
import { localKey } from './access/keys/local-key.ts'
import { createCallerLimits } from './access/limits/caller-limits.ts'
import { createQuotas } from './access/limits/quotas.ts'
import { createRequestTaker } from './access/take-request.ts'
import { followActivity } from './activity/activity.ts'
import type { ApiContext, ApiOptions } from './api-context.ts'
import { addDocumentRoutes } from './api-documents/document-routes.ts'
import { addAssetRoute } from './explorer/asset-route.ts'
import { addFrontPage } from './explorer/front-page.ts'
import { createFeeds } from './feed/feeds.ts'
import { createStreams } from './feed/streams.ts'
import { createWholeUnits } from './feed/whole-units.ts'
import { createCanonicalViews } from './history/canonical-views.ts'
import { createFinals } from './history/finals.ts'
import { createHeads } from './history/heads.ts'
import { createHistory } from './history/history.ts'
import { createRecentReads, readsShare } from './history/recent-reads.ts'
import { addMcpRoute } from './mcp/mcp-route.ts'
import { createApp } from './rest/app.ts'
import { addAuthorizeRoute } from './rest/authorize-route.ts'
import { addConnectorsRoute } from './rest/connectors-route.ts'
import { addDataRoute } from './rest/data-route.ts'
import { addHealthRoutes } from './rest/health-routes.ts'
import { createLocalPages, type ReadLocalPage } from './rest/local-pages.ts'
import { addTokenRoute } from './rest/token-route.ts'
import { addTopicRoutes } from './rest/topic-routes.ts'
import { addUsageRoute } from './rest/usage-route.ts'
import { addRegistryRoutes } from './schema-registry/registry-routes.ts'
import { addStreamRoute } from './sse/stream-route.ts'
import { followTopics } from './topics/topic-directory.ts'
import { followMonthOfOthers } from './usage/month-of-others.ts'
import { addWebSocket } from './websocket/server.ts'

export interface Api extends Pick<ApiContext, 'streams' | 'feeds'> {
  readonly app: FastifyInstance
  readonly readPage: ReadLocalPage
}

/** Resolves when every key and topic has been read. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { environment, limits, limitStore, meter, usage, page } = options
  const topics = await followTopics(options)
  const queue = hideOwnHeaders(options.queue, topics.isForeign)
  const reads = createRecentReads(queue, limits.historyBytes * readsShare)
  const history = createHistory(reads, limits.historyBytes, meter.caches.history)
  const heads = createHeads(history)
  const canonicalViews = createCanonicalViews(queue)
  const finals = createFinals(queue)
  const wholeUnits = createWholeUnits(queue)
  const callerLimits = createCallerLimits({ store: limitStore, connections: limits.connections })
  const keyless = options.keyless && keylessKey(options.keyless, environment)
  const keys = await followKeys({ ...options, keyless, local: localKey(options.key, environment) })
  const activity = followActivity({ ...options, queue, topics })
  const quotas = createQuotas({ usage, others: followMonthOfOthers({ ...options, gateway: options.id }) })
  const streams = createStreams({ ...options, keys, quotas, wholeUnits, countEnd: meter.countEnd })
  const feeds = createFeeds({ ...options, queue, history, topics })
  const takeRequest = createRequestTaker({ ...options, callerLimits, quotas })
  const addressOf = createAddressReader(options.trustedProxies)
  const admission = createAdmission({ ...options, keys, takeRequest, keyless, addressOf })
  const derived = { keys, quotas, admission, topics, activity, history, heads, canonicalViews, finals, feeds, streams }
  const context = { ...options, ...derived, queue: reads }

  const app = createApp(context)
  addHealthRoutes(app, queue)
  addFrontPage(app, context)
  if (page) addAssetRoute(app, page, limits)
  addDocumentRoutes(app, context)
  addTopicRoutes(app, context)
  addConnectorsRoute(app, context)
  addDataRoute(app, context)
  addAuthorizeRoute(app)
  addUsageRoute(app, context)
  addTokenRoute(app)
  addMcpRoute(app, context)
  addRegistryRoutes(app, context)
  addStreamRoute(app, context)
  addWebSocket(app, context)
  return { app, streams, feeds, readPage: createLocalPages(context) }
}

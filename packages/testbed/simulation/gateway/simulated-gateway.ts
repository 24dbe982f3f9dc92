import type { Queue } from '../../../queue/src/index.ts'
import type { Logger } from '../../../queue/src/logger.ts'
import type { ApiKey } from '../../../server/src/access/keys/api-key.ts'
import { createFeeds } from '../../../server/src/feed/feeds.ts'
import { createStream, type Stream } from '../../../server/src/feed/stream.ts'
import type { EndReason, Transport } from '../../../server/src/feed/transport.ts'
import { createWholeUnits } from '../../../server/src/feed/whole-units.ts'
import { createCanonicalViews } from '../../../server/src/history/canonical-views.ts'
import { createFinals } from '../../../server/src/history/finals.ts'
import { createHeads } from '../../../server/src/history/heads.ts'
import { createHistory } from '../../../server/src/history/history.ts'
import { createRecentReads, readsShare } from '../../../server/src/history/recent-reads.ts'
import { createGatewayMeter } from '../../../server/src/metrics/gateway-meter.ts'
import { limits as defaultLimits, type Limits } from '../../../server/src/options/limits.ts'
import { dataEndpoint, parseDataQuery } from '../../../server/src/rest/data-endpoint.ts'
import { createDataPages, type PageClient } from '../../../server/src/rest/data-pages.ts'
import { followTopics } from '../../../server/src/topics/topic-directory.ts'
import { createMethods } from '../../../server/src/websocket/methods.ts'

/** A gateway without its HTTP server. */
export interface SimulatedGateway {
  /** `GET /api/v1/data/<topic>` with these parameters. */
  read(topic: string, query: Readonly<Record<string, string>>): Promise<{ text: string; isSealed: boolean }>
  /** A connection to `/ws/v1`, for subscriptions. */
  open(transport: Transport): StreamedConnection
  /** Ends every stream, as before a planned restart. */
  drain(reason: EndReason): void
}

/** It stores no pages. */
const plainClient: PageClient = { codingFor: () => undefined, holds: () => false }

export interface StreamedConnection {
  /** Returns the start cursor of the subscription. Call `afterReply` when the answer is sent. */
  subscribe(params: SubscribeParams): Promise<{ readonly cursor: string; readonly afterReply: () => void }>
}

export interface SubscribeParams {
  readonly topic: string
  readonly from: string
  readonly onGap: 'error' | 'skip'
  readonly filter: string | undefined
}

export interface StartGatewayOptions {
  readonly queue: Queue
  readonly limits: Partial<Limits>
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Starts it as `createApi` does. Resolves when it knows every topic. */
export async function startGateway(options: StartGatewayOptions): Promise<SimulatedGateway> {
  const { queue, signal } = options
  const limits = { ...defaultLimits, ...options.limits }
  const log = options.log as never
  const meter = createGatewayMeter()
  const reads = createRecentReads(queue, limits.historyBytes * readsShare)
  const history = createHistory(reads, limits.historyBytes, meter.caches.history)
  const heads = createHeads(history)
  const canonicalViews = createCanonicalViews(queue)
  const wholeUnits = createWholeUnits(queue)
  const topics = await followTopics({ queue, signal, log })
  const feeds = createFeeds({ queue, history, topics, limits, signal, log })
  const finals = createFinals(queue)
  const pages = createDataPages({ queue: reads, topics, heads, canonicalViews, finals, history, limits, meter })
  const endpoint = dataEndpoint(limits)
  const streams = new Set<Stream>()
  return {
    async read(topic, text) {
      const { body, isSealed } = await pages.read(topic, parseDataQuery(text, endpoint), plainClient)
      return { text: body!.toString(), isSealed }
    },
    open(transport) {
      const meter = {
        records: 0,
        endReason: undefined,
        protocol: transport.protocol,
        socket: transport.socket,
        close() {},
      }
      const stream = createStream({ key, transport, meter, wholeUnits, limits, log, checkKey() {} })
      streams.add(stream)
      transport.onClose(() => {
        streams.delete(stream)
        stream.close()
      })
      const methods = createMethods({ queue: reads, topics, heads, canonicalViews, feeds, limits, stream })
      return {
        async subscribe({ topic, filter, ...params }) {
          const selected = filter === undefined ? {} : { filter }
          const { result, afterReply } = await methods.subscribe({ topics: [topic], ...params, ...selected }, { key })
          const [subscribed] = (result as { topics: { cursor: string }[] }).topics
          return { cursor: subscribed!.cursor, afterReply: () => afterReply?.() }
        },
      }
    },
    drain(reason) {
      for (const stream of [...streams]) stream.end(reason)
    },
  }
}

const key: ApiKey = {
  id: 'key',
  name: 'reader',
  hash: '',
  environment: 'development',
  topics: ['*'],
  origins: [],
  requireOrigin: false,
  rate: 1000,
  burst: 1000,
  connections: 1000,
  created: '2026-01-01T00:00:00Z',
}

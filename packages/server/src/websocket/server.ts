import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Queue } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { WebSocketServer } from 'ws'
import type { Admission } from '../access/admission.ts'
import type { ApiKey } from '../access/keys/api-key.ts'
import type { KeyDirectory } from '../access/keys/key-directory.ts'
import type { KeyLimits } from '../access/limits/key-limits.ts'
import { RefusedError } from '../errors.ts'
import type { Feeds } from '../feed/feeds.ts'
import type { Streams } from '../feed/streams.ts'
import type { CanonicalViews } from '../history/canonical-views.ts'
import type { Limits } from '../operations/limits.ts'
import { redactUrl } from '../operations/redact.ts'
import { toRefusal } from '../operations/to-refusal.ts'
import { admitStream, route } from '../rest/app.ts'
import { problemBody, problemType } from '../rest/problem.ts'
import { parseQuery } from '../rest/query.ts'
import type { TopicDirectory } from '../topics/topic-directory.ts'
import { serveConnection } from './connection.ts'
import { createMethods } from './methods.ts'
import { createFrameCache, createWebSocketTransport } from './transport.ts'
import { upgradeEndpoint } from './upgrade-endpoint.ts'

export interface WebSocketOptions {
  readonly queue: Queue
  readonly topics: TopicDirectory
  readonly canonicalViews: CanonicalViews
  readonly feeds: Feeds
  readonly streams: Streams
  readonly admission: Admission
  readonly keys: KeyDirectory
  readonly keyLimits: KeyLimits
  readonly limits: Limits
  readonly log: Logger
  isDraining(): boolean
}

/** `/ws/v1`: JSON-RPC 2.0 over WebSocket. Who may not connect is told so over HTTP, before the upgrade. */
export function addWebSocket(app: FastifyInstance, options: WebSocketOptions): void {
  const { admission, streams, keys, keyLimits, limits, log } = options
  const frames = createFrameCache()
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
  })

  // Scripts in browsers do not see why an upgrade was refused: they can ask here.
  route(app, upgradeEndpoint, async (request, reply) => {
    admitStream(admission, request, reply)
    throw new RefusedError('upgrade_required', 'This path speaks WebSocket (RFC 6455).', {
      headers: { upgrade: 'websocket', connection: 'upgrade' },
    })
  })

  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const requestId = randomUUID()
    const seen = { requestId, url: redactUrl(request.url!), remote: socket.remoteAddress }
    socket.on('error', (error) => log.debug({ requestId, err: error }, 'socket failed'))
    try {
      const key = admit(request)
      server.handleUpgrade(request, socket, head, (ws) => {
        log.info({ ...seen, key: key.id }, 'websocket opened')
        socket.once('close', () => log.info({ ...seen, key: key.id }, 'websocket closed'))
        const stream = streams.open(key, createWebSocketTransport(ws, socket, frames))
        const methods = createMethods({ ...options, stream, takeRequest: () => takeRequest(key) })
        serveConnection({ ws, socket, stream, methods, limits, log: log.child({ requestId }) })
      })
    } catch (error) {
      const refusal = toRefusal(error)
      log.info({ ...seen, status: refusal.status, code: refusal.code }, 'websocket refused')
      answer(socket, refusal, requestId)
    }
  })

  function admit(request: IncomingMessage): ApiKey {
    const [pathname, query = ''] = request.url!.split(/\?(.*)/s, 2)
    if (pathname !== upgradeEndpoint.path) throw new RefusedError('path_not_found', 'There is nothing under this path.')
    if (request.url!.length > limits.uriLength)
      throw new RefusedError('uri_too_long', `The request target may have ${limits.uriLength} characters.`)
    if (options.isDraining()) throw new RefusedError('draining', 'This gateway is closing.')
    const { authorization, origin } = request.headers
    return admission.admitStream({ authorization, origin, query: parseQuery(query) }).key
  }

  function takeRequest(opened: ApiKey): ApiKey {
    const key = keys.get(opened.id) ?? opened
    keyLimits.takeRequest(key)
    return key
  }
}

/** Refuses an upgrade on its bare socket. */
function answer(socket: Socket, refusal: RefusedError, requestId: string): void {
  const body = problemBody(refusal, requestId)
  const headers = {
    ...refusal.headers,
    'x-request-id': requestId,
    'content-type': problemType,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`)
}

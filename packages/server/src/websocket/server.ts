import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Admitted } from '../access/admission.ts'
import type { Grant } from '../access/grant.ts'
import { redactUrl } from '../access/keys/redact.ts'
import { after } from '../after.ts'
import type { ApiContext } from '../api-context.ts'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { refuseOnSocket } from '../connection/refuse-on-socket.ts'
import { RefusedError, toRefusal } from '../errors.ts'
import { asksForWebSocket, checkNoOpenResponse, route } from '../rest/app.ts'
import { parseQuery } from '../rest/query.ts'
import { pathNotEncoded, refusalOfHead } from '../rest/request-head.ts'
import { serveConnection } from './connection.ts'
import { createMethods } from './methods.ts'
import { createFrameCache, createWebSocketTransport } from './transport.ts'

export function addWebSocket(app: FastifyInstance, options: ApiContext): void {
  const { admission, streams, limits, meter, log, queue, topics, heads, canonicalViews, feeds } = options
  const frames = createFrameCache()
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
    autoPong: false,
    // By default ws confirms the first subprotocol that a client offers.
    handleProtocols: () => false,
    // One chunk may hold thousands of small messages.
    allowSynchronousEvents: false,
  })
  // `handleUpgrade` emits this event synchronously, and so throws the refusal.
  server.on('wsClientError', ({ message }) => {
    throw new RefusedError('malformed_request', `${message}.`, { headers: { 'sec-websocket-version': '13' } })
  })

  // Scripts in browsers cannot read the response to a refused upgrade.
  route(app, upgradeEndpoint, async (request, reply) => {
    if (asksForWebSocket(request.raw)) checkNoOpenResponse(reply)
    throw new RefusedError('upgrade_required', 'This path accepts WebSocket (RFC 6455) only.', {
      headers: { upgrade: 'websocket', connection: 'upgrade' },
    })
  })

  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const [requestId, began] = [randomUUID(), performance.now()]
    const seen = { requestId, url: redactUrl(request.url!), remote: socket.remoteAddress }
    const observe = (status: number, route = upgradeEndpoint.path) =>
      meter.requests.observe({ route, status }, (performance.now() - began) / 1000)
    logFailures(socket, requestId)
    try {
      const admitted = after(identify(request), (grant) => admission.admit(grant, 'stream'))
      if (admitted instanceof Promise) admitted.then(upgrade).catch(refuse)
      else upgrade(admitted)
    } catch (error) {
      refuse(error)
    }

    function upgrade({ grant, close }: Admitted): void {
      if (socket.destroyed) close!()
      socket.once('close', close!)
      server.handleUpgrade(request, socket, head, (ws) => {
        observe(101)
        serve(ws, socket, grant, { ...seen, key: grant.key.id })
      })
    }

    function refuse(error: unknown): void {
      const refusal = toRefusal(error)
      const { code, status } = refusal
      observe(status, code === 'path_not_found' ? 'none' : undefined)
      log.info({ ...seen, status, code }, 'websocket refused')
      refuseOnSocket(socket, refusal, requestId)
    }
  })

  // The closures of these two functions live as long as the connection, so they share no scope with the request.
  function logFailures(socket: Socket, requestId: string): void {
    socket.on('error', (error) => log.debug({ requestId, err: error }, 'socket failed'))
  }

  function serve(ws: WebSocket, socket: Socket, grant: Grant, seen: SeenRequest): void {
    log.info(seen, 'websocket opened')
    socket.once('close', () => log.info(seen, 'websocket closed'))
    const stream = streams.open(grant, createWebSocketTransport(ws, socket, frames))
    serveConnection({
      ...{ ws, socket, stream, limits, log: log.child({ requestId: seen.requestId }) },
      methods: createMethods({ queue, topics, heads, canonicalViews, feeds, limits, stream }),
      takeRequest: () => admission.admitCall(grant),
    })
  }

  function identify(request: IncomingMessage): Grant | undefined | Promise<Grant | undefined> {
    const refusal = refusalOfHead(request, limits, options.isDraining())
    if (refusal) throw refusal
    const [path, query = ''] = request.url!.split(/\?(.*)/s, 2)
    if (pathOf(path!) !== upgradeEndpoint.path) throw new RefusedError('path_not_found', 'This path does not exist.')
    if (request.method !== 'GET')
      throw new RefusedError('method_not_allowed', 'A WebSocket must be opened with GET.', {
        headers: { allow: 'GET, HEAD' },
      })
    return admission.identify(request, parseQuery(query), 'stream')
  }
}

interface SeenRequest {
  readonly requestId: string
  readonly url: string
  readonly remote: string | undefined
  readonly key: string
}

function pathOf(target: string): string {
  try {
    return decodeURI(target.replace(/^https?:\/\/[^/]*/i, ''))
  } catch {
    throw pathNotEncoded()
  }
}

export const upgradeEndpoint: Endpoint = {
  path: '/ws/v1',
  id: 'checkUpgrade',
  summary: 'The refusal of an upgrade to WebSocket, else 426',
  description: 'For scripts in browsers, which cannot read the response to a refused upgrade.',
  access: 'stream',
  parameters: {},
  answer: undefined,
  refusals: ['upgrade_required', 'overloaded'],
}

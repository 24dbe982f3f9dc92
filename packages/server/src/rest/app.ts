import { randomUUID } from 'node:crypto'
import { type IncomingMessage, METHODS } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Admission, Admitted } from '../access/admission.ts'
import { callerOf } from '../access/credentials.ts'
import type { ApiKey } from '../access/keys/api-key.ts'
import type { KeyDirectory } from '../access/keys/key-directory.ts'
import { corsHeaders, preflightHeaders, readableBy } from '../access/origins/origin.ts'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { refuseBrokenRequest, refuseConnect, trackResponses } from '../connection/refuse-on-socket.ts'
import { RefusedError, toRefusal } from '../errors.ts'
import type { Limits } from '../options/limits.ts'
import { type LogResponsesOptions, logResponses } from './log-responses.ts'
import { methodNotAllowed, sendProblem } from './problem.ts'
import { parseQuery, type Query } from './query.ts'
import { pathNotEncoded, refusalOfHead } from './request-head.ts'

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey | undefined
  }
  interface FastifyInstance {
    endpoints: Endpoint[]
  }
}

export interface AppOptions extends LogResponsesOptions {
  readonly keys: KeyDirectory
  readonly limits: Limits
  isDraining(): boolean
}

/** All that does not depend on the path: errors, CORS, request ids, logging and counting. */
export function createApp(options: AppOptions): FastifyInstance {
  const { keys, limits, log, isDraining } = options
  const watch = logResponses(options)
  const app = fastify({
    genReqId: () => randomUUID(),
    routerOptions: {
      maxParamLength: limits.uriLength,
      // Called before the hook that refuses a target that is too long.
      querystringParser: (text) => parseQuery(text.slice(0, limits.uriLength)),
    },
    http: {
      // Other upgrades (h2c), and those pipelined behind a request, are answered as plain HTTP/1.1.
      shouldUpgradeCallback: (request) => asksForWebSocket(request) && !responses.has(request.socket),
      // The response of Node has neither a code nor a request id.
      requireHostHeader: false,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1000, Math.ceil(limits.headersMs / 2)),
    },
    requestTimeout: limits.requestMs,
    return503OnClosing: false,
    // Such a request has no route, so no hook runs.
    frameworkErrors(error, request, reply) {
      begin(request, reply)
      sendProblem(reply, error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? uriTooLong() : pathNotEncoded())
    },
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket, { responses, log }),
  })
  const { server } = app
  const responses = trackResponses(server)
  // The gateway reads no bodies, so it never sends 100 Continue.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => server.emit('request', request, response))
  server.on('connect', (request: IncomingMessage, socket: Socket) =>
    refuseConnect(request, socket, { responses, ...options }),
  )
  app.decorate('endpoints', [])
  app.decorateRequest('apiKey', undefined)
  for (const method of otherMethods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    const refusal = refusalBefore(request)
    if (refusal === undefined && request.method === 'OPTIONS') sendOptions(reply)
    else done(refusal)
  })
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error)
    if (refusal.status >= 500 && refusal.code !== 'draining')
      log.error({ requestId: request.id, err: refusal.cause ?? refusal }, 'request failed')
    sendProblem(reply, refusal)
  })
  return app

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    watch(request, reply)
    reply.header('x-request-id', request.id).headers(fixedHeaders).headers(corsHeaders(keys, request.headers.origin))
  }

  function refusalBefore(request: FastifyRequest): RefusedError | undefined {
    const refusal = refusalOfHead(request.raw)
    if (refusal) return refusal
    if (request.raw.url!.length > limits.uriLength) return uriTooLong()
    // An orchestrator must not kill a process that drains.
    if (isDraining() && request.routeOptions.url !== '/health/live')
      return new RefusedError('draining', 'This gateway is stopping. Connect again to reach another one.', {
        headers: { connection: 'close' },
      })
    if (request.is404) return new RefusedError('path_not_found', 'This path does not exist.')
    if (readMethods.includes(request.method)) return undefined
    return methodNotAllowed()
  }

  function uriTooLong(): RefusedError {
    return new RefusedError('uri_too_long', `The request target may have at most ${limits.uriLength} characters.`)
  }
}

const fixedHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

const readMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** A CORS preflight (Fetch standard) has `Access-Control-Request-Method`. */
function sendOptions(reply: FastifyReply): void {
  if (reply.request.headers['access-control-request-method'] === undefined)
    void reply.code(204).header('allow', readMethods.join(', ')).send()
  else if (reply.hasHeader('access-control-allow-origin')) void reply.code(204).headers(preflightHeaders).send()
  else
    sendProblem(
      reply,
      new RefusedError('origin_not_allowed', 'No API key of this service is registered for this origin.'),
    )
}

/** The handler gets GET and HEAD only. */
export function route(
  app: FastifyInstance,
  endpoint: Endpoint,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.endpoints.push(endpoint)
  app.route({ method: ['GET', ...otherMethods], url: endpoint.path.replaceAll(/{(\w+)}/g, ':$1'), handler })
}

/** CONNECT has no path (RFC 9110, section 9.3.6). */
const otherMethods = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method))

export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * A stream would occupy the connection.
 *
 * @throws {RefusedError} `malformed_request`
 */
export function checkNoOpenResponse({ raw }: FastifyReply): void {
  if (raw.socket) return
  throw new RefusedError(
    'malformed_request',
    'An earlier response on this connection is still open. Ask for a stream once it has ended, or on a new connection.',
  )
}

export function admitRequest(admission: Admission, request: FastifyRequest, reply: FastifyReply): ApiKey {
  return admit(reply, admission.admitRequest(identify(admission, request, reply)))
}

export function admitStream(admission: Admission, request: FastifyRequest, reply: FastifyReply): ApiKey {
  return admit(reply, admission.admitStream(identify(admission, request, reply)))
}

/** A page may also read why a key without registered origins is refused. */
function identify(admission: Admission, request: FastifyRequest, reply: FastifyReply): ApiKey | undefined {
  const key = admission.identify(callerOf(request.raw, request.query as Query))
  const { origin } = request.headers
  if (origin !== undefined && key?.origins.length === 0) reply.headers(readableBy(origin))
  request.apiKey = key
  return key
}

function admit(reply: FastifyReply, { key, headers }: Admitted): ApiKey {
  reply.headers(headers)
  return key
}

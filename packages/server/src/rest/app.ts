import { randomUUID } from 'node:crypto'
import { type IncomingMessage, METHODS } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Admission, AdmittedAccess } from '../access/admission.ts'
import type { Grant } from '../access/grant.ts'
import type { ApiKey } from '../access/keys/api-key.ts'
import { redactUrl } from '../access/keys/redact.ts'
import { corsHeaders, preflightHeaders, readableBy } from '../access/origins/origin.ts'
import { after } from '../after.ts'
import type { ApiContext } from '../api-context.ts'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { refuseBrokenRequest, refuseConnect, trackResponses } from '../connection/refuse-on-socket.ts'
import { RefusedError, toRefusal } from '../errors.ts'
import type { Limits } from '../options/limits.ts'
import { methodNotAllowed, pathNotFound, sendProblem } from './problem.ts'
import { parseQuery, type Query } from './query.ts'
import { pathNotEncoded, refusalOfHead, uriTooLong } from './request-head.ts'

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey | undefined
  }
  interface FastifyContextConfig {
    isPost?: boolean
  }
  interface FastifyInstance {
    endpoints: Endpoint[]
    admission: Admission
  }
}

export function createApp(options: ApiContext): FastifyInstance {
  const { keys, admission, limits, meter, usage, log } = options
  const app = fastify({
    genReqId: () => randomUUID(),
    routerOptions: {
      maxParamLength: limits.uriLength,
      // Called before the hook that refuses a target that is too long.
      querystringParser: (text) => parseQuery(text.slice(0, limits.uriLength)),
    },
    http: {
      // Other upgrades (h2c), and those pipelined behind a request, are answered as plain HTTP/1.1.
      shouldUpgradeCallback: (request) => asksForWebSocket(request) && !hasOpenResponse(request.socket),
      // The gateway checks it: the response of Node has neither a code nor a request id.
      requireHostHeader: false,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1000, Math.ceil(limits.headersMs / 2)),
    },
    requestTimeout: limits.requestMs,
    return503OnClosing: false,
    // A request with one of these errors has no route, so no hook runs.
    frameworkErrors(error, request, reply) {
      begin(request, reply)
      sendProblem(reply, error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? uriTooLong(limits) : pathNotEncoded())
    },
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket, { hasOpenResponse, meter, log }),
  })
  const { server } = app
  const redacted = rememberRedacted()
  const hasOpenResponse = trackResponses(server)
  // Only requests whose body is read get 100 Continue.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => server.emit('request', request, response))
  server.on('connect', (request: IncomingMessage, socket: Socket) =>
    refuseConnect(request, socket, { hasOpenResponse, meter, log }),
  )
  app.decorate('endpoints', [])
  app.decorate('admission', admission)
  app.decorateRequest('apiKey', undefined)
  for (const method of otherMethods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.removeAllContentTypeParsers()
  // For `POST`, whatever its type: other methods are refused before their bodies are read.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: limits.bodyBytes }, (_request, body, done) =>
    done(null, body),
  )
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    const refusal = refusalBefore(request)
    if (refusal === undefined && request.method === 'OPTIONS') sendOptions(reply)
    else done(refusal)
  })
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOfBody(error, request.raw, limits) ?? toRefusal(error)
    const { origin } = request.headers
    // A page of any origin may read that it needs another key or a new token.
    if (refusal.status === 401 && origin !== undefined) reply.headers(readableBy(origin))
    if (refusal.status >= 500 && refusal.code !== 'draining')
      log.error({ requestId: request.id, err: refusal.cause ?? refusal }, 'request failed')
    sendProblem(reply, refusal)
  })
  return app

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('x-request-id', request.id).headers(fixedHeaders).headers(corsHeaders(keys, request.headers.origin))
    const began = performance.now()
    const { remoteAddress } = request.socket
    // Fastify does not call onResponse for a response that is cut off.
    reply.raw.once('close', () => {
      const ms = performance.now() - began
      const status = reply.raw.headersSent ? reply.raw.statusCode : undefined
      // An unknown path would make the number of labels unbounded.
      if (status !== undefined) meter.requests.observe({ route: request.routeOptions.url ?? 'none', status }, ms / 1000)
      usage.countResponse(request.socket, request.apiKey?.id)
      if (!log.isLevelEnabled('info')) return
      // The entry must hold neither a key nor an Authorization header.
      log.info(
        {
          requestId: request.id,
          method: request.method,
          url: redacted(request.raw.url!),
          status,
          complete: reply.raw.writableFinished,
          ms: Math.round(ms * 10) / 10,
          key: request.apiKey?.id,
          remote: remoteAddress,
        },
        'request',
      )
    })
  }

  function refusalBefore(request: FastifyRequest): RefusedError | undefined {
    // `/health/live` stays 200, because an orchestrator must not kill a process that drains.
    const isDraining = options.isDraining() && request.routeOptions.url !== '/health/live'
    const refusal = refusalOfHead(request.raw, limits, isDraining)
    if (refusal) return refusal
    if (request.is404) return pathNotFound()
    const allowed = allowedMethods(request)
    return [...allowed, 'OPTIONS'].includes(request.method) ? undefined : methodNotAllowed(allowed.join(', '))
  }
}

const [redactedUrls, redactedCharacters] = [1000, 1 << 20]

/** Clients repeat their requests. */
function rememberRedacted(): (url: string) => string {
  const sizeCalculation = (redacted: string, url: string) => redacted.length + url.length + 1
  const known = new LRUCache<string, string>({ max: redactedUrls, maxSize: redactedCharacters, sizeCalculation })
  return (url) => {
    const found = known.get(url)
    if (found !== undefined) return found
    const redacted = redactUrl(url)
    known.set(url, redacted)
    return redacted
  }
}

const fixedHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

function allowedMethods({ routeOptions }: FastifyRequest): readonly string[] {
  return routeOptions.config.isPost ? ['POST'] : ['GET', 'HEAD']
}

function refusalOfBody(
  error: unknown,
  { readableAborted }: IncomingMessage,
  { bodyBytes }: Limits,
): RefusedError | undefined {
  const { code } = error as { code?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new RefusedError('body_too_large', `The body may have at most ${bodyBytes} bytes.`)
  if (readableAborted || String(code).startsWith('FST_ERR_CTP_'))
    return new RefusedError('malformed_request', 'The body is incomplete, or its type is not a media type.')
  return undefined
}

function sendOptions(reply: FastifyReply): void {
  if (reply.request.headers['access-control-request-method'] === undefined)
    void reply
      .code(204)
      .header('allow', [...allowedMethods(reply.request), 'OPTIONS'].join(', '))
      .send()
  else if (reply.hasHeader('access-control-allow-origin')) void reply.code(204).headers(preflightHeaders).send()
  else
    sendProblem(
      reply,
      new RefusedError('origin_not_allowed', 'No API key of this service is registered for this origin.'),
    )
}

interface RouteTypes {
  readonly Params: { readonly topic: string }
  readonly Querystring: Query
}

type Handler = (request: FastifyRequest<RouteTypes>, reply: FastifyReply, grant: Grant) => Promise<unknown>

/** The handler gets the method of the endpoint only, and HEAD as GET. It has a grant unless the access of the endpoint is `open`. */
export function route(app: FastifyInstance, endpoint: Endpoint, handler: Handler): void {
  app.endpoints.push(endpoint)
  app.route<RouteTypes>({
    method: ['GET', ...otherMethods],
    config: { isPost: endpoint.method === 'POST' },
    ...(endpoint.body && { preParsing: sendContinue }),
    url: endpoint.path.replaceAll(/{(\w+)}/g, ':$1'),
    handler: async (request, reply) => {
      const grant = admit(app.admission, endpoint, reply)
      return handler(request, reply, (grant instanceof Promise ? await grant : grant)!)
    },
  })
}

/** For a path without a key that is in no document. */
export function routeOutsideApi<Params>(
  app: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route<{ Params: Params }>({ method: ['GET', ...otherMethods], url, handler })
}

/** RFC 9110, section 10.1.1. */
function sendContinue(request: FastifyRequest, reply: FastifyReply, _body: unknown, done: () => void): void {
  if (request.headers.expect !== undefined) reply.raw.writeContinue()
  done()
}

function admit(
  admission: Admission,
  { access }: Endpoint,
  reply: FastifyReply,
): Grant | undefined | Promise<Grant | undefined> {
  if (access === 'open') return undefined
  const { request } = reply
  const identified = admission.identify(request.raw, request.query as Query, access)
  return after(identified, admitGrant)

  function admitGrant(grant: Grant | undefined): Grant | Promise<Grant> {
    const { origin } = request.headers
    // A page may also read why a key without registered origins is refused.
    if (origin !== undefined && grant?.key.origins.length === 0) reply.headers(readableBy(origin))
    request.apiKey = grant?.key
    return after(admission.admit(grant, access as AdmittedAccess), ({ grant, headers, close }) => {
      if (close && reply.raw.closed) close()
      else if (close) reply.raw.once('close', close)
      reply.headers(headers)
      return grant
    })
  }
}

/** CONNECT has no path (RFC 9110, section 9.3.6). */
const otherMethods = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method))

export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

export function checkNoOpenResponse({ raw }: FastifyReply): void {
  if (raw.socket) return
  throw new RefusedError(
    'malformed_request',
    'An earlier response on this connection is still open. Ask for a stream once it has ended, or on a new connection.',
  )
}

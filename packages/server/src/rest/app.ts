import { randomUUID } from 'node:crypto'
import { METHODS, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import type { Admission, Admitted } from '../access/admission.ts'
import { callerOf } from '../access/credentials.ts'
import type { ApiKey } from '../access/keys/api-key.ts'
import type { KeyDirectory } from '../access/keys/key-directory.ts'
import { corsHeaders, preflightHeaders, readableBy } from '../access/origins/cors.ts'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { type RefusalCode, RefusedError } from '../errors.ts'
import { logAccess } from '../operations/access-log.ts'
import type { Limits } from '../operations/limits.ts'
import { toRefusal } from '../operations/to-refusal.ts'
import { problemBody, problemType, sendProblem } from './problem.ts'
import { parseQuery, type Query } from './query.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whoever was admitted. */
    apiKey: ApiKey | undefined
  }
  interface FastifyInstance {
    /** Everything that has a route. */
    endpoints: Endpoint[]
  }
}

export interface AppOptions {
  readonly keys: KeyDirectory
  readonly limits: Limits
  readonly log: Logger
  isDraining(): boolean
}

/** The HTTP server, with everything that does not depend on the path: errors, CORS, request ids, the access log. */
export function createApp({ keys, limits, log, isDraining }: AppOptions): FastifyInstance {
  const app = fastify({
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: limits.uriLength, querystringParser: parseQuery },
    // Only WebSocket is upgraded to: a client that offers h2c beside its request gets its answer over HTTP/1.1.
    http: {
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs / 2),
    },
    requestTimeout: limits.requestMs,
    return503OnClosing: false,
    frameworkErrors: (_error, _request, reply) =>
      sendProblem(reply, new RefusedError('malformed_request', 'The path is not a valid percent-encoded text.')),
    clientErrorHandler: answerBrokenRequest,
  })
  app.decorate('endpoints', [])
  app.decorateRequest('apiKey', undefined)
  for (const method of refusedMethods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(fixedHeaders).headers(corsHeaders(keys, request.headers.origin))
    done(refusalBefore(request))
  })
  app.addHook('onResponse', (request, reply, done) => {
    logAccess(log, request, reply)
    done()
  })
  app.setNotFoundHandler(async (_request, reply) =>
    sendProblem(reply, new RefusedError('path_not_found', 'There is nothing under this path.')),
  )
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error)
    if (refusal.status >= 500 && refusal.code !== 'draining')
      log.error({ requestId: request.id, err: refusal.cause ?? refusal }, 'request failed')
    sendProblem(reply, refusal)
  })
  return app

  /** What is refused whatever the path and whoever asks. */
  function refusalBefore(request: FastifyRequest): RefusedError | undefined {
    if (request.raw.url!.length > limits.uriLength)
      return new RefusedError('uri_too_long', `The request target may have ${limits.uriLength} characters.`)
    // A process that drains is to be let finish, not to be killed.
    if (isDraining() && request.routeOptions.url !== '/health/live')
      return new RefusedError('draining', 'This gateway is closing.', { headers: { connection: 'close' } })
    return undefined
  }
}

const fixedHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

/** Adds the route of an endpoint. Other methods get 405, a preflight (Fetch standard) its answer. */
export function route(
  app: FastifyInstance,
  endpoint: Endpoint,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  const url = endpoint.path.replaceAll(/{(\w+)}/g, ':$1')
  app.endpoints.push(endpoint)
  app.route({ method: 'GET', url, handler })
  app.route({
    method: refusedMethods,
    url,
    onRequest: async () => {
      throw new RefusedError('method_not_allowed', 'This path can only be read: use GET.', {
        headers: { allow: 'GET, HEAD' },
      })
    },
    handler: async () => undefined,
  })
  app.route({
    method: 'OPTIONS',
    url,
    handler: async (request, reply) => {
      if (request.headers['access-control-request-method'] === undefined)
        return reply.code(204).header('allow', 'GET, HEAD, OPTIONS').send()
      if (!reply.hasHeader('access-control-allow-origin'))
        throw new RefusedError('origin_not_allowed', 'No API key of this service is registered for this origin.')
      return reply.code(204).headers(preflightHeaders).send()
    },
  })
}

/** Methods that Node reads but no path has. CONNECT is none that a path could have (RFC 9110, section 9.3.6). */
const refusedMethods = METHODS.filter((method) => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(method))

/** Lets a REST request in, or throws why not. */
export function admitRequest(admission: Admission, request: FastifyRequest, reply: FastifyReply): ApiKey {
  return admit(request, reply, admission.admitRequest(callerOf(request.raw, request.query as Query)))
}

/** Lets an SSE connection in, or throws why not. */
export function admitStream(admission: Admission, request: FastifyRequest, reply: FastifyReply): ApiKey {
  return admit(request, reply, admission.admitStream(callerOf(request.raw, request.query as Query)))
}

function admit(request: FastifyRequest, reply: FastifyReply, { key, headers }: Admitted): ApiKey {
  request.apiKey = key
  reply.headers(headers)
  const { origin } = request.headers
  if (origin !== undefined && key.origins.length === 0) reply.headers(readableBy(origin))
  return key
}

/** Answers what could not be read as a request, on the bare socket. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const code = brokenCodes[error.code!] ?? 'malformed_request'
  const refusal = new RefusedError(code, 'This is not an HTTP request that can be read, or it did not come in time.')
  const body = problemBody(refusal, randomUUID())
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\ncontent-type: ${problemType}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

const brokenCodes: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

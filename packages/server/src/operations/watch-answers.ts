import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { GatewayMeter } from '../metrics/gateway-meter.ts'
import type { UsageMeter } from '../usage/usage-meter.ts'
import { redactUrl } from './redact.ts'

export interface WatchAnswersOptions {
  readonly log: Logger
  readonly meter: GatewayMeter
  readonly usage: UsageMeter
}

/**
 * Logs and counts an answer once it is over: it was sent, or the connection has ended before. To be called when its
 * request has come.
 */
export function watchAnswers({
  log,
  meter,
  usage,
}: WatchAnswersOptions): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const began = performance.now()
    const { remoteAddress } = request.socket
    // Fastify's onResponse is not called for an answer that is cut.
    reply.raw.once('close', () => {
      const ms = performance.now() - began
      const status = reply.raw.headersSent ? reply.raw.statusCode : undefined
      // What clients make up is no route: labels stay as many as there are paths.
      if (status !== undefined) meter.countRequest(request.routeOptions.url ?? 'none', status, ms)
      usage.countResponse(request.socket, request.apiKey?.id)
      if (log.isLevelEnabled('info')) logAnswer({ request, reply, status, ms, remoteAddress })
    })
  }

  /** Neither a key nor an Authorization header is ever in it. */
  function logAnswer({ request, reply, status, ms, remoteAddress }: Answer): void {
    log.info(
      {
        requestId: request.id,
        method: request.method,
        url: redactUrl(request.raw.url!),
        status,
        complete: reply.raw.writableFinished,
        ms: Math.round(ms * 10) / 10,
        key: request.apiKey?.id,
        remote: remoteAddress,
      },
      'request',
    )
  }
}

interface Answer {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** `undefined`: nothing of it was sent. */
  readonly status: number | undefined
  readonly ms: number
  readonly remoteAddress: string | undefined
}

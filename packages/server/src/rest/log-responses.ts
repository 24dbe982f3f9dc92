import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { redactUrl } from '../access/keys/redact.ts'
import type { GatewayMeter } from '../metrics/gateway-meter.ts'
import type { UsageMeter } from '../usage/usage-meter.ts'

export interface LogResponsesOptions {
  readonly log: Logger
  readonly meter: GatewayMeter
  readonly usage: UsageMeter
}

/** Logs and counts a response when it is sent or has failed. */
export function logResponses({
  log,
  meter,
  usage,
}: LogResponsesOptions): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
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
          url: redactUrl(request.raw.url!),
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
}

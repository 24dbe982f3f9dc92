import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { redactUrl } from './redact.ts'

/** Logs an answered request. Neither a key nor an Authorization header is ever in it. */
export function logAccess(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  if (!log.isLevelEnabled('info')) return
  log.info(
    {
      requestId: request.id,
      method: request.method,
      url: redactUrl(request.raw.url!),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      key: request.apiKey?.id,
      remote: request.socket.remoteAddress,
    },
    'request',
  )
}

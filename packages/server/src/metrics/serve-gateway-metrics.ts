import type { AddressInfo } from 'node:net'
import { UserError } from '@headrace/queue'
import { type CollectedMetrics, formatMetrics, metricsMediaType } from '@headrace/queue/metrics'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'

export interface MetricsAddress {
  /** 0: any free port. */
  readonly port: number
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
}

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves the metrics of one or several gateways at `/metrics`, without authentication.
 *
 * @throws {UserError} `listen_failed`
 */
export async function serveGatewayMetrics(
  { port, host = '127.0.0.1' }: MetricsAddress,
  metrics: () => Promise<readonly CollectedMetrics[]>,
): Promise<MetricsServer> {
  const app = fastify({ forceCloseConnections: true })
  app.all('/metrics', { onRequest: refuseOtherMethods }, async (_request, reply) => {
    return reply
      .header('cache-control', 'no-store')
      .type(metricsMediaType)
      .send(await formatMetrics(await metrics()))
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('There is nothing here but /metrics.\n'))
  app.setErrorHandler((_error, _request, reply) => reply.code(500).send())
  try {
    await app.listen({ host, port })
  } catch (cause) {
    throw listenFailed(host, port, cause as NodeJS.ErrnoException)
  }
  return { url: urlOf(app), close: () => app.close() }
}

async function refuseOtherMethods({ method }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') await reply.code(405).header('allow', 'GET, HEAD').send()
}

function listenFailed(host: string, port: number, cause: NodeJS.ErrnoException): UserError {
  const reason = cause.code === 'EADDRINUSE' ? 'another program listens there' : cause.message
  return new UserError(
    'listen_failed',
    `Metrics cannot be served on ${host}, port ${port}: ${reason}. Choose another port (0: any free one).`,
    { cause, remedy: { kind: 'choose_metrics_port' } },
  )
}

export function urlOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

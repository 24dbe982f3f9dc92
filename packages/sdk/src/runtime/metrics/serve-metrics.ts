import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UserError } from '@headrace/queue'
import { formatMetrics, metricsMediaType } from './metric-family.ts'
import { runHealth } from './run-health.ts'
import type { RunMeter } from './run-meter.ts'
import { runMetrics } from './run-metrics.ts'

/** Where a run tells how it is. */
export interface MetricsAddress {
  /** 0 takes a free one. */
  readonly port: number
  /** Default 127.0.0.1: this machine alone. */
  readonly host?: string | undefined
}

export interface MetricsServer {
  /** `http://host:port` */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves a run's metrics at `/metrics`, in the text format of Prometheus, and its health at `/health`: JSON, with status
 * 200 while it is running and 503 otherwise.
 *
 * @throws {UserError} `listen_failed`
 */
export async function serveMetrics(
  { port, host = '127.0.0.1' }: MetricsAddress,
  run: { readonly meter: RunMeter; readonly signal: AbortSignal },
): Promise<MetricsServer> {
  const families = runMetrics(run.meter)
  const answers: Readonly<Record<string, () => Answer>> = {
    '/metrics': () => ({ status: 200, type: metricsMediaType, body: formatMetrics(families) }),
    '/health': () => {
      const health = runHealth(run.meter, run.signal)
      const status = health.state === 'running' ? 200 : 503
      return { status, type: 'application/json', body: `${JSON.stringify(health)}\n` }
    },
  }
  const server = createServer((request, response) => send(request, response, answers))
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    throw listenFailed(host, port, cause as NodeJS.ErrnoException)
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

function send(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  answers: Readonly<Record<string, () => Answer>>,
): void {
  const path = url.split('?', 1)[0]!
  const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
  if (!answer) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There are /metrics and /health.\n')
  } else if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
  } else {
    const { status, type, body } = answer()
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  }
}

function listenFailed(host: string, port: number, cause: NodeJS.ErrnoException): UserError {
  const reason = cause.code === 'EADDRINUSE' ? 'another program listens there' : cause.message
  return new UserError(
    'listen_failed',
    `Metrics cannot be served on ${host}, port ${port}: ${reason}. Choose another --metrics-port (0: any free one).`,
    { cause },
  )
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UserError } from '../errors.ts'

export interface MetricsAddress {
  /** 0: any free port. */
  readonly port: number
  /** Default 127.0.0.1: only this machine. */
  readonly host?: string | undefined
}

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

/** By path, the function that makes the answer to a request. */
type Answers = Readonly<
  Record<string, () => Promise<{ readonly status: number; readonly type: string; readonly body: string }>>
>

/**
 * Answers GET and HEAD at these paths, without authentication. If a function throws, the answer is a 500.
 *
 * @throws {UserError} `listen_failed`
 */
export async function serveMetrics(
  { port, host = '127.0.0.1' }: MetricsAddress,
  answers: Answers,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    send(request, response, answers).catch(() => response.writeHead(500).end())
  })
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

async function send({ method, url = '' }: IncomingMessage, response: ServerResponse, answers: Answers) {
  const path = url.split('?', 1)[0]!
  const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
  if (!answer) {
    const paths = Object.keys(answers).join(' and ')
    response.writeHead(404, { 'content-type': 'text/plain' }).end(`There is nothing here but ${paths}.\n`)
  } else if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
  } else {
    const { status, type, body } = await answer()
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  }
}

function listenFailed(host: string, port: number, cause: NodeJS.ErrnoException): UserError {
  const reason = cause.code === 'EADDRINUSE' ? 'another program listens there' : cause.message
  return new UserError(
    'listen_failed',
    `Metrics cannot be served on ${host}, port ${port}: ${reason}. Choose another port (0: any free one).`,
    { cause, remedy: { kind: 'choose_metrics_port' } },
  )
}

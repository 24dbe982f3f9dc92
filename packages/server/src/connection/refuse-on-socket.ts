import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { redactUrl } from '../access/keys/redact.ts'
import type { ApiOptions } from '../api-context.ts'
import { type RefusalCode, RefusedError } from '../errors.ts'
import { methodNotAllowed, problemBody, problemType } from '../rest/problem.ts'

const lastBytesMs = 1000

/** Closes the connection even if the client keeps its end open. */
export function endConnection(socket: Socket, text: string): void {
  socket.end(text)
  // Otherwise the client's FIN is not noticed.
  socket.resume()
  const deadline = setTimeout(() => socket.destroy(), lastBytesMs)
  socket.once('close', () => clearTimeout(deadline))
}

export function refuseOnSocket(socket: Socket, refusal: RefusedError, requestId: string): void {
  const body = problemBody(refusal, requestId)
  const headers = {
    ...refusal.headers,
    'x-request-id': requestId,
    'content-type': problemType,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  endConnection(socket, `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`)
}

export function refuseBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { hasOpenResponse, log }: SocketRefusalOptions,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const code = brokenCodes[error.code!] ?? 'malformed_request'
  const refusal = new RefusedError(code, 'The bytes are not a valid HTTP request, or did not arrive in time.')
  const requestId = randomUUID()
  // The error is not logged: it holds the received bytes, which may include a key.
  const status = hasOpenResponse(socket) ? undefined : refusal.status
  log.info({ requestId, status, code, remote: socket.remoteAddress }, 'request unreadable')
  if (status === undefined) return void socket.destroy()
  refuseOnSocket(socket, refusal, requestId)
}

const brokenCodes: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

export interface SocketRefusalOptions extends Pick<ApiOptions, 'meter' | 'log'> {
  /** Other bytes on such a connection would become part of the response. */
  hasOpenResponse(socket: Socket): boolean
}

/** For CONNECT (RFC 9110, section 9.3.6), for which Node passes on the socket. */
export function refuseConnect(
  { url, method }: IncomingMessage,
  socket: Socket,
  { hasOpenResponse, meter, log }: SocketRefusalOptions,
): void {
  const [requestId, refusal] = [randomUUID(), methodNotAllowed()]
  socket.on('error', (error) => log.debug({ requestId, err: error }, 'socket failed'))
  const status = hasOpenResponse(socket) ? undefined : refusal.status
  log.info({ requestId, method, url: redactUrl(url!), status, remote: socket.remoteAddress }, 'request refused')
  if (status === undefined) return void socket.destroy()
  meter.requests.observe({ route: 'none', status }, 0)
  refuseOnSocket(socket, refusal, requestId)
}

export function trackResponses(server: Server): SocketRefusalOptions['hasOpenResponse'] {
  const open = new WeakMap<Socket, number>()
  const add = (socket: Socket, change: 1 | -1) => open.set(socket, (open.get(socket) ?? 0) + change)
  server.on('request', ({ socket }, response) => {
    add(socket, 1)
    response.once('close', () => add(socket, -1))
  })
  return (socket) => (open.get(socket) ?? 0) > 0
}

import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { type RefusalCode, RefusedError } from '../errors.ts'
import { endConnection } from '../operations/end-connection.ts'
import { problemBody, problemType } from './problem.ts'

/** Answers what could not be read as a request, on the bare socket. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, log: Logger): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const code = brokenCodes[error.code!] ?? 'malformed_request'
  const refusal = new RefusedError(code, 'This is not an HTTP request that can be read, or it did not come in time.')
  const requestId = randomUUID()
  // Not the error: it has the bytes that came, and a key may be among them.
  log.info({ requestId, status: refusal.status, code, remote: socket.remoteAddress }, 'request unreadable')
  const body = problemBody(refusal, requestId)
  endConnection(
    socket,
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nx-request-id: ${requestId}\r\n` +
      `content-type: ${problemType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

const brokenCodes: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

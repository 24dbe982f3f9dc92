import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { type RefusalCode, RefusedError } from '../errors.ts'
import { answerOnSocket } from './answer-on-socket.ts'
import type { OpenAnswers } from './open-answers.ts'

export interface BrokenRequestOptions {
  readonly answers: OpenAnswers
  readonly log: Logger
}

/** Answers what could not be read as a request, on the bare socket. Cuts it where that would be inside another answer. */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { answers, log }: BrokenRequestOptions,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const code = brokenCodes[error.code!] ?? 'malformed_request'
  const refusal = new RefusedError(code, 'This is not an HTTP request that can be read, or it did not come in time.')
  const requestId = randomUUID()
  // Not the error: it has the bytes that came, and a key may be among them.
  const status = answers.has(socket) ? undefined : refusal.status
  log.info({ requestId, status, code, remote: socket.remoteAddress }, 'request unreadable')
  if (status === undefined) return void socket.destroy()
  answerOnSocket(socket, refusal, requestId)
}

const brokenCodes: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

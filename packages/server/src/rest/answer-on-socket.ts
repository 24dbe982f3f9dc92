import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { RefusedError } from '../errors.ts'
import { endConnection } from '../operations/end-connection.ts'
import { problemBody, problemType } from './problem.ts'

/** Refuses what never becomes a request of the HTTP server, on its bare connection, and ends that. */
export function answerOnSocket(socket: Socket, refusal: RefusedError, requestId: string): void {
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

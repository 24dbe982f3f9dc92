import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { GatewayMeter } from '../metrics/gateway-meter.ts'
import { redactUrl } from '../operations/redact.ts'
import { answerOnSocket } from './answer-on-socket.ts'
import type { OpenAnswers } from './open-answers.ts'
import { methodNotAllowed } from './problem.ts'

export interface RefuseConnectOptions {
  readonly answers: OpenAnswers
  readonly meter: GatewayMeter
  readonly log: Logger
}

/** Answers CONNECT (RFC 9110, section 9.3.6), for which Node hands out the bare connection. */
export function refuseConnect(
  { url, method }: IncomingMessage,
  socket: Socket,
  { answers, meter, log }: RefuseConnectOptions,
): void {
  const [requestId, refusal] = [randomUUID(), methodNotAllowed()]
  socket.on('error', (error) => log.debug({ requestId, err: error }, 'socket failed'))
  const status = answers.has(socket) ? undefined : refusal.status
  log.info({ requestId, method, url: redactUrl(url!), status, remote: socket.remoteAddress }, 'request refused')
  if (status === undefined) return void socket.destroy()
  meter.countRequest('none', status, 0)
  answerOnSocket(socket, refusal, requestId)
}

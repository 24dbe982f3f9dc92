import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type RawData, WebSocket } from 'ws'
import type { Stream } from '../feed/stream.ts'
import type { Limits } from '../operations/limits.ts'
import { toRefusal } from '../operations/to-refusal.ts'
import { closeReasons } from './close-codes.ts'
import { answerMessage, type RpcMethod } from './json-rpc.ts'

export interface ConnectionOptions {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly stream: Stream
  readonly methods: Readonly<Record<string, RpcMethod>>
  readonly limits: Limits
  readonly log: Logger
}

/** Serves one WebSocket client: its messages one after the other, and pings it. */
export function serveConnection({ ws, socket, stream, methods, limits, log }: ConnectionOptions): void {
  let work = Promise.resolve()
  let waiting = 0
  let alive = true
  let pinged: Buffer | undefined

  ws.on('message', (data, isBinary) => {
    alive = true
    if (isBinary) return ws.close(closeReasons.unsupportedData.code, 'Messages are text.')
    // What a client sends meanwhile stays in its socket: the queue here does not grow.
    waiting++
    ws.pause()
    work = work
      .then(() => handle(data))
      .catch((error) => log.error({ err: error }, 'message failed'))
      .then(readOn)
  })
  ws.on('ping', (data) => {
    alive = true
    if (pinged === undefined) setImmediate(pong)
    pinged = data
  })
  ws.on('pong', () => {
    alive = true
  })
  ws.on('error', (error) => log.debug({ err: error }, 'websocket failed'))
  const pings = setInterval(ping, limits.pingMs)
  socket.once('close', () => clearInterval(pings))

  async function handle(data: RawData): Promise<void> {
    const answer = await answerMessage(data.toString(), {
      methods,
      maxBatch: limits.batchRequests,
      toRefusal(error) {
        const refusal = toRefusal(error)
        if (refusal.status >= 500) log.error({ err: refusal.cause ?? refusal }, 'call failed')
        return refusal
      },
    })
    if (ws.readyState !== WebSocket.OPEN) return
    if (answer.text !== undefined) ws.send(answer.text)
    answer.afterReply()
  }

  async function readOn(): Promise<void> {
    // Many small messages may have come at once: between two of them others have their turn.
    if (--waiting > 0) await nextTurn()
    else if (socket.writableLength <= limits.unsentBytes) ws.resume()
    else {
      // Who does not take the answers asks nothing more.
      stream.watchUnsent()
      socket.once('drain', () => ws.resume())
    }
  }

  /** Answers the newest of the pings that came meanwhile (RFC 6455, section 5.5.3), once the client takes something. */
  function pong(): void {
    if (socket.writableLength > limits.unsentBytes) {
      socket.once('drain', pong)
      return
    }
    const data = pinged
    pinged = undefined
    if (ws.readyState === WebSocket.OPEN) ws.pong(data)
  }

  function ping(): void {
    // A ping would wait behind what is unsent: who does not take that is found out otherwise.
    // Nor is a pong read while a message is being answered.
    if (socket.writableLength > limits.unsentBytes || ws.isPaused || ws.readyState !== WebSocket.OPEN) return
    if (alive) ws.ping()
    else stream.end('no_pong')
    alive = false
  }
}

import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type RawData, WebSocket } from 'ws'
import type { ApiKey } from '../access/keys/api-key.ts'
import { endConnection } from '../connection/refuse-on-socket.ts'
import { toRefusal } from '../errors.ts'
import type { Stream } from '../feed/stream.ts'
import type { Limits } from '../options/limits.ts'
import { closeReasons } from './close-codes.ts'
import { answerMessage, type RpcMethod } from './json-rpc.ts'

export interface ConnectionOptions {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly stream: Stream
  readonly methods: Readonly<Record<string, RpcMethod>>
  readonly limits: Limits
  readonly log: Logger
  /** The key of this connection, as it is now. Takes one request from its rate. */
  takeRequest(): ApiKey
}

/** Time in which pings are answered together, in ms. */
const pongMs = 10

/** Serves one WebSocket client: its messages one after the other, and pings it. */
export function serveConnection(options: ConnectionOptions): void {
  const { ws, socket, stream, methods, limits, log } = options
  const messages = createMessageQueue<RawData>({
    handle: (data) => handle(data).catch((error) => log.error({ err: error }, 'message failed')),
    onIdle: readOn,
  })
  /** How many more requests were over the rate of the key than within it. */
  let refused = 0
  let alive = true
  let pinged: Buffer | undefined

  ws.on('message', (data, isBinary) => {
    alive = true
    if (ws.readyState !== WebSocket.OPEN) return
    if (isBinary) {
      ws.close(closeReasons.unsupportedData.code, 'Messages are text.')
      return readNothing()
    }
    // What a client sends in the meantime stays in its socket: the queue here does not grow.
    ws.pause()
    messages.add(data)
  })
  ws.on('ping', (data) => {
    alive = true
    if (pinged === undefined) setTimeout(pong, pongMs)
    pinged = data
  })
  ws.on('pong', () => {
    alive = true
  })
  ws.on('error', (error) => log.debug({ err: error }, 'websocket failed'))
  const pings = setInterval(ping, limits.pingMs)
  socket.once('close', () => {
    clearInterval(pings)
    messages.clear()
  })

  async function handle(data: RawData): Promise<void> {
    if (ws.readyState !== WebSocket.OPEN) return messages.clear()
    const answer = await answerMessage(data.toString(), {
      methods,
      maxBatch: limits.batchRequests,
      takeRequest,
      toRefusal(error) {
        const refusal = toRefusal(error)
        if (refusal.status >= 500) log.error({ err: refusal.cause ?? refusal }, 'call failed')
        return refusal
      },
    })
    if (ws.readyState !== WebSocket.OPEN) return
    if (answer.text !== undefined) ws.send(answer.text)
    answer.afterReply()
    if (refused < limits.refusedRequests) return
    stream.end('rate_limited')
    readNothing()
  }

  function takeRequest(): ApiKey {
    refused++
    const key = options.takeRequest()
    refused = Math.max(0, refused - 2)
    return key
  }

  /** For who sends what he must not: what comes behind it is not even parsed. */
  function readNothing(): void {
    socket.removeAllListeners('data')
    endConnection(socket, '')
  }

  function readOn(): void {
    if (socket.writableLength <= limits.unsentBytes) ws.resume()
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

/** The messages of one client that have come and are not handled yet. */
export interface MessageQueue<Message> {
  add(message: Message): void
  /** Drops what waits. */
  clear(): void
}

export interface MessageQueueOptions<Message> {
  /** Must not reject. */
  handle(message: Message): Promise<void>
  /** Called each time that nothing waits any more. */
  onIdle(): void
}

/**
 * Handles messages one after the other, in one loop. A promise for each that waits for the one before would make every
 * error of the first cost as much as there are messages behind it: V8 collects a stack along such promises.
 */
export function createMessageQueue<Message>({ handle, onIdle }: MessageQueueOptions<Message>): MessageQueue<Message> {
  let waiting: Message[] = []
  let isWorking = false
  return {
    add(message) {
      waiting.push(message)
      if (!isWorking) void work()
    },
    clear() {
      waiting = []
    },
  }

  async function work(): Promise<void> {
    isWorking = true
    while (waiting.length > 0) {
      await handle(waiting.shift()!)
      // Many small messages may have come at once: between two of them other clients have their turn.
      if (waiting.length > 0) await nextTurn()
    }
    isWorking = false
    onIdle()
  }
}

import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawData, WebSocket } from 'ws'
import type { Grant } from '../access/grant.ts'
import { after } from '../after.ts'
import type { ApiContext } from '../api-context.ts'
import { endConnection } from '../connection/refuse-on-socket.ts'
import { toRefusal } from '../errors.ts'
import type { Stream } from '../feed/stream.ts'
import { closeReasons } from './close-codes.ts'
import { answerMessage, type RpcMethod } from './json-rpc.ts'

export interface ConnectionOptions extends Pick<ApiContext, 'limits' | 'log'> {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly stream: Stream
  readonly methods: Readonly<Record<string, RpcMethod>>
  takeRequest(): Grant | Promise<Grant>
}

/** Pings of this time, in ms, get one pong. */
const pongMs = 10

export function serveConnection(options: ConnectionOptions): void {
  const { ws, socket, stream, methods, limits, log } = options
  const messages = createMessageQueue<RawData>(
    (data) => handle(data).catch((error) => log.error({ err: error }, 'message failed')),
    readOn,
  )
  /** Requests above the rate of the key minus those within it. */
  let refused = 0
  let alive = true
  let pinged: Buffer | undefined

  ws.on('message', (data, isBinary) => {
    alive = true
    if (ws.readyState !== WebSocket.OPEN) return
    if (isBinary) {
      ws.close(closeReasons.unsupportedData.code, 'Messages must be text.')
      return readNothing()
    }
    // Further messages stay in the socket.
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

  function takeRequest(): Grant | Promise<Grant> {
    refused++
    return after(options.takeRequest(), (grant) => {
      refused = Math.max(0, refused - 2)
      return grant
    })
  }

  function readNothing(): void {
    socket.removeAllListeners('data')
    endConnection(socket, '')
  }

  function readOn(): void {
    if (socket.writableLength <= limits.unsentBytes) ws.resume()
    else {
      // A client that does not read the answers is not read either.
      stream.watchUnsent()
      socket.once('drain', () => ws.resume())
    }
  }

  /** RFC 6455, section 5.5.3: for the newest pending ping, once the client reads. */
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
    // The stall check watches unsent bytes, behind which a ping would wait. While paused, no pong is read.
    if (socket.writableLength > limits.unsentBytes || ws.isPaused || ws.readyState !== WebSocket.OPEN) return
    if (alive) ws.ping()
    else stream.end('no_pong')
    alive = false
  }
}

export interface MessageQueue<Message> {
  add(message: Message): void
  clear(): void
}

/**
 * One loop: in a chain of promises, V8 collects the async stack along it, so an error costs as much as the chain is
 * long.
 *
 * @param handle - Must not reject.
 */
export function createMessageQueue<Message>(
  handle: (message: Message) => Promise<void>,
  onIdle: () => void,
): MessageQueue<Message> {
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
      // Other clients are served between messages.
      if (waiting.length > 0) await nextTurn()
    }
    isWorking = false
    onIdle()
  }
}

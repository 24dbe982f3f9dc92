import type { DataRecord } from '../batch.ts'
import { UnavailableError } from '../errors.ts'
import { withDeadline } from '../retry.ts'
import type { Service } from '../service/service.ts'
import { closeError } from '../service/service-errors.ts'
import {
  type Connection,
  type ConnectionRequest,
  type Progress,
  type StreamGap,
  type StreamMessage,
  subscribeMs,
} from './connection.ts'
import { createInbox } from './inbox.ts'
import { createRpcClient, type RpcNotification } from './rpc-client.ts'
import { createWatchdog, silenceMs } from './watchdog.ts'

interface Subscribed {
  readonly topics: readonly { readonly topic: string; readonly cursor: string }[]
  readonly heartbeatMs: number
}

/**
 * Browsers cannot pause a socket. Above `bufferSize` it unsubscribes, and it subscribes again at the same cursors once
 * all messages have been taken.
 *
 * @throws {UpgradeFailedError}
 * @throws {ClientError} the subscription was refused, or not answered.
 */
export async function connectWebSocket(request: ConnectionRequest): Promise<Connection> {
  const { service, places, onGap, bufferSize, signal } = request
  const socket = await openSocket(service, signal)
  const inbox = createInbox<StreamMessage>()
  const rpc = createRpcClient((text) => socket.send(text))
  const watchdog = createWatchdog(() =>
    end(new UnavailableError('service_unavailable', 'The gateway sent nothing for too long.')),
  )
  const abort = () => end(signal?.reason)
  let paused = false
  signal?.addEventListener('abort', abort)
  socket.onclose = (event) => end(closeError(event))
  socket.onmessage = ({ data }) => {
    watchdog.received()
    read(String(data))
    if (inbox.size > bufferSize && !paused) pause().catch(end)
  }

  try {
    const starts = await withDeadline({ ms: subscribeMs, signal }, (deadline) => {
      deadline.addEventListener('abort', () => end(deadline.reason))
      return subscribe(places)
    })
    return { starts, take: inbox.take, close: () => end(undefined) }
  } catch (error) {
    end(error)
    throw error
  }

  async function subscribe(from: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    const params = { topics: [...from.keys()], from: Object.fromEntries(from), onGap }
    const { topics, heartbeatMs } = await rpc.call<Subscribed>('subscribe', params)
    watchdog.expect(silenceMs(heartbeatMs))
    return cursorsOf(topics)
  }

  function read(text: string): void {
    try {
      const notification = rpc.read(text)
      const message = notification && toMessage(notification)
      if (message) inbox.put(message, text.length)
    } catch (error) {
      end(new UnavailableError('service_unavailable', 'A message could not be read.', { cause: error }))
    }
  }

  async function pause(): Promise<void> {
    paused = true
    const { topics } = await rpc.call<Pick<Subscribed, 'topics'>>('unsubscribe', {})
    watchdog.stop()
    await inbox.emptied()
    watchdog.expect(subscribeMs)
    await subscribe(cursorsOf(topics))
    paused = false
  }

  function end(reason: unknown): void {
    socket.onclose = null
    socket.onmessage = null
    signal?.removeEventListener('abort', abort)
    watchdog.stop()
    rpc.end(reason)
    inbox.end(reason)
    socket.close()
  }
}

function toMessage({ method, params }: RpcNotification): StreamMessage | undefined {
  if (method === 'subscription') return { kind: 'record', record: params as DataRecord<unknown> }
  if (method === 'progress') return { kind: 'progress', progress: params as Progress }
  if (method === 'gap') return { kind: 'gap', gap: params as StreamGap }
  return undefined
}

function cursorsOf(topics: Subscribed['topics']): ReadonlyMap<string, string> {
  return new Map(topics.map(({ topic, cursor }) => [topic, cursor]))
}

export class UpgradeFailedError extends Error {
  constructor() {
    super('The WebSocket did not open.')
    this.name = 'UpgradeFailedError'
  }
}

/** For a socket to open, in ms. */
const openMs = 10_000

function openSocket(service: Service, signal: AbortSignal | undefined): Promise<WebSocket> {
  signal?.throwIfAborted()
  const socket = service.openSocket()
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>()
  const fail = (reason: unknown) => {
    reject(reason)
    socket.close()
  }
  const abort = () => fail(signal?.reason)
  const timer = setTimeout(() => fail(new UpgradeFailedError()), openMs)
  signal?.addEventListener('abort', abort)
  socket.onopen = () => resolve(socket)
  socket.onclose = () => reject(new UpgradeFailedError())
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    socket.onopen = null
  })
}

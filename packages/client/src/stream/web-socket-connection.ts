import { UnavailableError } from '../errors.ts'
import { withDeadline } from '../retry.ts'
import { closeError, type Refusal, refusalError } from '../service/service-errors.ts'
import {
  type Connection,
  type ConnectionRequest,
  type StreamMessage,
  startOf,
  subscribeMs,
  type TopicPlace,
  toMessage,
} from './connection.ts'
import { createInbox } from './inbox.ts'
import { createWatchdog, silenceMs } from './watchdog.ts'

interface Subscribed {
  readonly topics: readonly TopicPlace[]
  readonly heartbeatMs: number
}

interface Notification {
  readonly method: string
  readonly params: unknown
}

interface Answer {
  readonly id: number | null
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly data?: Partial<Refusal> }
}

/**
 * Browsers cannot pause a socket. Above `bufferSize` it unsubscribes, and it subscribes again at the same cursors once
 * all messages have been taken.
 *
 * @throws {UpgradeFailedError}
 * @throws {ClientError} the subscription was refused, or not answered.
 */
export async function connectWebSocket(request: ConnectionRequest): Promise<Connection> {
  const { places, select, onGap, bufferSize, signal } = request
  const socket = await openSocket(request)
  const inbox = createInbox<StreamMessage>()
  const watchdog = createWatchdog(end)
  const abort = () => end(signal?.reason)
  let calls = 0
  /** The answer to the last call. Calls are made one at a time. */
  let answer: PromiseWithResolvers<unknown> | undefined
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
    return { starts, take: inbox.take, close: end }
  } catch (error) {
    end(error)
    throw error
  }

  async function subscribe(from: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    const params = { topics: [...from.keys()], from: Object.fromEntries(from), onGap, ...select }
    const { topics, heartbeatMs } = await call<Subscribed>('subscribe', params)
    watchdog.expect(silenceMs(heartbeatMs))
    return cursorsOf(topics)
  }

  async function pause(): Promise<void> {
    paused = true
    const { topics } = await call<Pick<Subscribed, 'topics'>>('unsubscribe', {})
    watchdog.stop()
    for (const message of progressAt(topics)) inbox.put(message, 0)
    await inbox.emptied()
    watchdog.expect(subscribeMs)
    await subscribe(cursorsOf(topics))
    paused = false
  }

  /** JSON-RPC 2.0. */
  function call<Result>(method: string, params: object): Promise<Result> {
    answer = Promise.withResolvers()
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: ++calls, method, params }))
    return answer.promise as Promise<Result>
  }

  function read(text: string): void {
    try {
      const received = JSON.parse(text) as Notification | Answer
      if ('method' in received) put(received, text.length)
      else settle(received)
    } catch (error) {
      end(new UnavailableError('service_unavailable', 'A message could not be read.', { cause: error }))
    }
  }

  function put({ method, params }: Notification, size: number): void {
    const message = toMessage(method === 'subscription' ? 'record' : method, params)
    if (message) inbox.put(message, size)
  }

  function settle({ id, result, error }: Answer): void {
    if (id !== calls) return
    // Before the records that may follow in the same turn.
    if (isSubscribed(result)) for (const message of result.topics.flatMap(startOf)) inbox.put(message, 0)
    if (error) answer?.reject(refusalError({ code: 'internal', ...error.data, detail: error.message }))
    else answer?.resolve(result)
  }

  function end(reason?: unknown): void {
    socket.onclose = null
    socket.onmessage = null
    signal?.removeEventListener('abort', abort)
    watchdog.stop()
    answer?.reject(reason)
    inbox.end(reason)
    socket.close()
  }
}

function isSubscribed(result: unknown): result is Subscribed {
  return typeof result === 'object' && result !== null && 'heartbeatMs' in result
}

/** Up to these cursors, records were sent or left out. */
function progressAt(topics: Subscribed['topics']): StreamMessage[] {
  const selected = topics.flatMap(({ topic, nextSeqs }) => (nextSeqs ? [[topic, nextSeqs] as const] : []))
  if (selected.length === 0) return []
  const cursors = Object.fromEntries(cursorsOf(topics))
  return [{ kind: 'progress', progress: { cursors, units: {}, nextSeqs: Object.fromEntries(selected) } }]
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

function openSocket({ service, credential, signal }: ConnectionRequest): Promise<WebSocket> {
  return withDeadline({ ms: openMs, signal }, (deadline) => {
    const socket = service.openSocket(credential)
    const { promise, resolve, reject } = Promise.withResolvers<WebSocket>()
    deadline.addEventListener('abort', () => {
      reject(signal?.aborted ? signal.reason : new UpgradeFailedError())
      socket.close()
    })
    socket.onopen = () => resolve(socket)
    socket.onclose = () => reject(new UpgradeFailedError())
    return promise
  })
}

import { createParser } from 'eventsource-parser'
import { InvalidOptionError, PositionUnavailableError, UnavailableError } from '../errors.ts'
import { withDeadline } from '../retry.ts'
import { inBrowser } from '../service/service.ts'
import { streamError } from '../service/service-errors.ts'
import {
  type Connection,
  type ConnectionRequest,
  type StreamMessage,
  startOf,
  subscribeMs,
  type TopicPlace,
  toMessage,
} from './connection.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { createWatchdog, silenceMs } from './watchdog.ts'

/** Over HTTP/1.1, a browser opens six connections to a host for all its pages. One stays free. */
const maxPageTopics = 5

/**
 * Each topic has its own event stream, because a stream has one cursor for all its topics. TCP flow control pauses it.
 *
 * @throws {InvalidOptionError} too many topics for a page.
 * @throws {ClientError} a stream was refused, or did not start.
 */
export async function connectEvents(request: ConnectionRequest): Promise<Connection> {
  const { places, signal } = request
  if (inBrowser() && places.size > maxPageTopics)
    throw new InvalidOptionError(
      `${places.size} topics are to be read over SSE. A page can read at most ${maxPageTopics}, because a browser opens six ` +
        'connections to a host. Name fewer, or use WebSocket.',
    )
  const inbox = createInbox<StreamMessage>()
  const stop = new AbortController()
  const abort = () => end(signal?.reason)
  const shared = { ...request, inbox, signal: stop.signal, onSilence: end }
  signal?.addEventListener('abort', abort)

  try {
    const opened = await withDeadline({ ms: subscribeMs, signal }, (deadline) => {
      deadline.addEventListener('abort', () => end(deadline.reason))
      return Promise.all([...places].map(([topic, from]) => openTopicEvents({ ...shared, topic, from })))
    })
    for (const { read } of opened) read().catch(end)
    const starts = new Map(opened.map(({ topic, start }) => [topic, start]))
    return { starts, take: inbox.take, close: end }
  } catch (error) {
    end(error)
    throw error
  }

  function end(reason?: unknown): void {
    signal?.removeEventListener('abort', abort)
    inbox.end(reason)
    stop.abort(reason)
  }
}

export interface TopicEvents {
  readonly topic: string
  readonly start: string
  /** Fills the inbox while it has room. Rejects at the end of the stream. */
  read(): Promise<never>
}

export interface TopicEventsRequest extends Omit<ConnectionRequest, 'places'> {
  readonly topic: string
  readonly from: string
  readonly inbox: Inbox<StreamMessage>
  readonly signal: AbortSignal
  onSilence(error: UnavailableError): void
}

interface Ready {
  readonly topics: readonly [TopicPlace]
  readonly heartbeatMs: number
}

export async function openTopicEvents(request: TopicEventsRequest): Promise<TopicEvents> {
  const { topic, inbox, bufferSize, signal, onSilence } = request
  const reader = readEvents(await openOrSkip(request), signal)
  const [first, ...others] = (await reader.next()).value
  const { topics, heartbeatMs } = readData(first!) as Ready
  for (const message of topics.flatMap(startOf)) inbox.put(message, 0)
  return { topic, start: topics[0].cursor, read }

  async function read(): Promise<never> {
    const watchdog = createWatchdog(onSilence)
    try {
      for (let events = others; ; events = (await reader.next()).value) {
        for (const event of events) put(event)
        watchdog.stop()
        if (inbox.size > bufferSize) await inbox.emptied()
        watchdog.expect(silenceMs(heartbeatMs))
      }
    } finally {
      watchdog.stop()
    }
  }

  function put(streamEvent: StreamEvent): void {
    const { event, data } = streamEvent
    const content = readData(streamEvent)
    if (event === 'stream_error') throw streamError(content as Parameters<typeof streamError>[0])
    const message = toMessage(event === 'message' ? 'record' : event, content)
    if (message) inbox.put(message, data.length)
  }
}

/**
 * Opens the stream at the earliest position if the records at `from` no longer exist; that position may be lost in
 * turn. The gateway sends the gap itself only to an `EventSource`.
 */
async function openOrSkip(request: TopicEventsRequest): Promise<Response> {
  const { service, topic, select, onGap, inbox, signal } = request
  const selection = { filter: select.filter?.[topic], fields: select.fields?.[topic]?.join() }
  for (let place = request.from; ; ) {
    try {
      return await service.get('/sse/v1', { topics: topic, from: place, ...selection }, signal)
    } catch (error) {
      if (onGap === 'error' || !(error instanceof PositionUnavailableError)) throw error
      const { earliest, reason } = error
      inbox.put({ kind: 'gap', gap: { topic, after: place, resumeAt: earliest, reason } }, 0)
      place = earliest
    }
  }
}

export interface StreamEvent {
  /** `message` if the stream names no type. */
  readonly event: string
  readonly data: string
}

/**
 * HTML standard, section 9.2.6. Each time, yields all events that one chunk of the response completes, at least one.
 * Ids are not needed, since records hold their cursor.
 *
 * @throws {UnavailableError} the stream has ended. The reason of the signal, if it is aborted.
 */
export async function* readEvents(response: Response, signal: AbortSignal): AsyncGenerator<StreamEvent[], never> {
  const chunks = response.body!.getReader()
  const decoder = new TextDecoder()
  let events: StreamEvent[] = []
  const parser = createParser({ onEvent: ({ event = 'message', data }) => events.push({ event, data }) })
  for (;;) {
    const { done, value } = await chunks.read().catch((error) => {
      signal.throwIfAborted()
      throw new UnavailableError('service_unavailable', 'The event stream was interrupted.', { cause: error })
    })
    if (done) throw new UnavailableError('service_unavailable', 'The event stream ended.')
    parser.feed(decoder.decode(value, { stream: true }))
    if (events.length === 0) continue
    yield events
    events = []
  }
}

function readData({ data }: StreamEvent): unknown {
  try {
    return JSON.parse(data)
  } catch (error) {
    throw new UnavailableError('service_unavailable', 'A message could not be read.', { cause: error })
  }
}

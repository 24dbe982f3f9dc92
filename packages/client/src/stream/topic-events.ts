import { PositionUnavailableError, UnavailableError } from '../errors.ts'
import type { DataRecord } from '../record.ts'
import { streamError } from './close-error.ts'
import type { ConnectionRequest } from './connection.ts'
import type { StreamEvent } from './event-parser.ts'
import { createEventReader } from './event-reader.ts'
import type { Inbox } from './inbox.ts'
import type { Progress, StreamGap, StreamMessage } from './stream-message.ts'
import { createWatchdog, silenceMs } from './watchdog.ts'

/** The event stream of one topic. */
export interface TopicEvents {
  readonly topic: string
  /** The cursor at which it begins. */
  readonly start: string
  /** Puts what comes into the inbox while there is room. Rejects at the end of the stream. */
  read(): Promise<never>
}

export interface TopicEventsRequest extends Omit<ConnectionRequest, 'places'> {
  readonly topic: string
  readonly from: string
  readonly inbox: Inbox<StreamMessage>
  readonly signal: AbortSignal
  /** Nothing came for too long. */
  onSilence(): void
}

interface Ready {
  readonly topics: readonly [{ readonly topic: string; readonly cursor: string }]
  readonly heartbeatMs: number
}

/** @throws {ClientError} */
export async function openTopicEvents(request: TopicEventsRequest): Promise<TopicEvents> {
  const { topic, inbox, bufferSize, signal, onSilence } = request
  const reader = createEventReader(await openOrSkip(request), signal)
  const [first, ...others] = await reader.next()
  const { topics, heartbeatMs } = readData(first!) as Ready
  return { topic, start: topics[0].cursor, read }

  async function read(): Promise<never> {
    const watchdog = createWatchdog(onSilence)
    try {
      for (let events = others; ; events = await reader.next()) {
        for (const event of events) put(event)
        watchdog.rest()
        if (inbox.size > bufferSize) await inbox.emptied()
        watchdog.expect(silenceMs(heartbeatMs))
      }
    } finally {
      watchdog.rest()
    }
  }

  function put(event: StreamEvent): void {
    const message = toMessage(event)
    if (message) inbox.put(message, event.data.length)
  }
}

/** A lost position is an error here, since only an `EventSource` is told of a gap. What it gives instead may be lost too. */
async function openOrSkip({ service, topic, from, onGap, inbox, signal }: TopicEventsRequest): Promise<Response> {
  for (let place = from; ; ) {
    try {
      return await service.get('/sse/v1', { topics: topic, from: place }, signal)
    } catch (error) {
      if (onGap === 'error' || !(error instanceof PositionUnavailableError)) throw error
      const { earliest, reason } = error
      inbox.put({ kind: 'gap', gap: { topic, after: place, resumeAt: earliest, reason } }, 0)
      place = earliest
    }
  }
}

/** @throws {ClientError} the stream is over. */
function toMessage(streamEvent: StreamEvent): StreamMessage | undefined {
  const { event } = streamEvent
  const content = readData(streamEvent)
  if (event === 'message') return { kind: 'record', record: content as DataRecord<unknown> }
  if (event === 'progress') return { kind: 'progress', progress: content as Progress }
  if (event === 'gap') return { kind: 'gap', gap: content as StreamGap }
  if (event === 'stream_error') throw streamError(content as Parameters<typeof streamError>[0])
  return undefined
}

function readData({ data }: StreamEvent): unknown {
  try {
    return JSON.parse(data)
  } catch (error) {
    throw new UnavailableError('service_unavailable', 'A message could not be read.', { cause: error })
  }
}

import { InvalidOptionError, UnavailableError } from '../errors.ts'
import { withDeadline } from '../retry/with-deadline.ts'
import { inBrowser } from '../service/in-browser.ts'
import { type Connection, type ConnectionRequest, subscribeMs } from './connection.ts'
import { createInbox } from './inbox.ts'
import type { StreamMessage } from './stream-message.ts'
import { openTopicEvents } from './topic-events.ts'

/** Browsers open six connections to a host over HTTP/1.1, for all their pages: a seventh waits for ever. One is left. */
const maxPageTopics = 5

/**
 * Reads topics over Server-Sent Events, each over a stream of its own, because a stream has one place for all its topics.
 * What is not taken stays in the network: there is nothing to pause.
 *
 * @throws {InvalidOptionError} in a page, these are too many topics.
 * @throws {ClientError} a stream was refused, or did not begin.
 */
export async function connectEvents(request: ConnectionRequest): Promise<Connection> {
  const { places, signal } = request
  if (inBrowser() && places.size > maxPageTopics)
    throw new InvalidOptionError(
      `${places.size} topics are asked for over SSE. A page can read ${maxPageTopics} so, for a browser opens six connections ` +
        'to a host. Name fewer, or read them over WebSocket.',
    )
  const inbox = createInbox<StreamMessage>()
  const stop = new AbortController()
  const abort = () => end(signal?.reason)
  const onSilence = () => end(new UnavailableError('service_unavailable', 'The connection fell silent.'))
  const shared = { ...request, inbox, signal: stop.signal, onSilence }
  signal?.addEventListener('abort', abort)

  try {
    const opened = await withDeadline({ ms: subscribeMs, signal }, (deadline) => {
      deadline.addEventListener('abort', () => end(deadline.reason))
      return Promise.all([...places].map(([topic, from]) => openTopicEvents({ ...shared, topic, from })))
    })
    for (const { read } of opened) read().catch(end)
    const starts = new Map(opened.map(({ topic, start }) => [topic, start]))
    return { starts, take: inbox.take, close: () => end(undefined) }
  } catch (error) {
    end(error)
    throw error
  }

  function end(reason: unknown): void {
    signal?.removeEventListener('abort', abort)
    inbox.end(reason)
    stop.abort(reason)
  }
}

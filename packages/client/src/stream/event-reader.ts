import { createParser } from 'eventsource-parser'
import { UnavailableError } from '../errors.ts'

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

import { createParser } from 'eventsource-parser'
import { UnavailableError } from '../errors.ts'

export interface StreamEvent {
  /** `message` if the stream names no type. */
  readonly event: string
  readonly data: string
}

export interface EventReader {
  /**
   * All events that one chunk of the response completes, at least one. Reads only when called.
   *
   * @throws {UnavailableError} the stream has ended. The reason of the signal, if it is aborted.
   */
  next(): Promise<StreamEvent[]>
}

/** HTML standard, section 9.2.6. Ids are not needed, since records hold their cursor. */
export function createEventReader(response: Response, signal: AbortSignal): EventReader {
  const chunks = response.body!.getReader()
  const decoder = new TextDecoder()
  let events: StreamEvent[] = []
  const parser = createParser({ onEvent: ({ event = 'message', data }) => events.push({ event, data }) })
  return {
    async next() {
      for (;;) {
        const { done, value } = await chunks.read().catch((error) => {
          signal.throwIfAborted()
          throw new UnavailableError('service_unavailable', 'The event stream was interrupted.', { cause: error })
        })
        if (done) throw new UnavailableError('service_unavailable', 'The event stream ended.')
        parser.feed(decoder.decode(value, { stream: true }))
        if (events.length === 0) continue
        const found = events
        events = []
        return found
      }
    },
  }
}

import { UnavailableError } from '../errors.ts'
import { createEventParser, type StreamEvent } from './event-parser.ts'

export interface EventReader {
  /**
   * The next events, at least one, as many as a piece of the answer holds. Nothing is read before it is asked for.
   *
   * @throws {UnavailableError} the stream was cut or ended. The signal's reason, once there is one.
   */
  next(): Promise<StreamEvent[]>
}

export function createEventReader(response: Response, signal: AbortSignal): EventReader {
  const pieces = response.body!.getReader()
  const decoder = new TextDecoder()
  const parse = createEventParser()
  return {
    async next() {
      for (;;) {
        const { done, value } = await pieces.read().catch((error) => {
          signal.throwIfAborted()
          throw new UnavailableError('service_unavailable', 'The event stream was cut.', { cause: error })
        })
        if (done) throw new UnavailableError('service_unavailable', 'The event stream ended.')
        const events = parse(decoder.decode(value, { stream: true }))
        if (events.length > 0) return events
      }
    },
  }
}

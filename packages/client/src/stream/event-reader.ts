import { UnavailableError } from '../errors.ts'

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

export interface StreamEvent {
  /** `message` where the stream names none. */
  readonly event: string
  readonly data: string
}

/**
 * Makes what reads an event stream (HTML standard, section 9.2.6) given piece by piece: each call gives the events that
 * are whole by then. Ids are not kept, since records hold their own.
 */
export function createEventParser(): (text: string) => StreamEvent[] {
  let rest = ''
  let event = ''
  let data: string[] = []
  return (text) => {
    const events: StreamEvent[] = []
    // A carriage return at the end may be half of a line end.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines)
      if (line !== '') readField(line)
      else {
        if (data.length > 0) events.push({ event: event || 'message', data: data.join('\n') })
        event = ''
        data = []
      }
    return events
  }

  function readField(line: string): void {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
}

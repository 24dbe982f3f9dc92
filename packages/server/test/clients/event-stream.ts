/** An event as sent. A comment has the type `comment`. */
export interface StreamEvent<T = unknown> {
  readonly event: string
  readonly id: string | undefined
  readonly data: T
}

export interface EventStream extends Disposable {
  readonly response: Response
  /** Reads until `count` events of a type have arrived, and returns those. */
  take<T = unknown>(event: string, count: number): Promise<StreamEvent<T>[]>
  /** Reads to the end of the stream. */
  readToEnd(): Promise<StreamEvent[]>
}

const deadlineMs = 20_000

/** Opens an event stream and parses it strictly: a line that is not a field or comment is an error. */
export async function openEvents(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const stop = new AbortController()
  const response = await fetch(url, { headers, signal: stop.signal })
  const unparsed = { text: '' }
  const events = parse(response, unparsed)
  const next = async () => {
    const timer = setTimeout(() => stop.abort(new Error('No event came in time.')), deadlineMs)
    const { value } = await events.next()
    clearTimeout(timer)
    return value as StreamEvent | undefined
  }
  return {
    response,
    async take<T>(event: string, count: number) {
      const taken: StreamEvent<T>[] = []
      let other: StreamEvent | undefined
      while (taken.length < count) {
        const found = await next()
        if (!found) {
          const last = `HTTP status ${response.status}, last other event ${JSON.stringify(other)}, rest ${unparsed.text}`
          throw new Error(`The stream ended after ${taken.length} of ${count} ${event}: ${last}.`)
        }
        if (found.event === event) taken.push(found as StreamEvent<T>)
        else other = found
      }
      return taken
    },
    async readToEnd() {
      const taken: StreamEvent[] = []
      for (let found = await next(); found; found = await next()) taken.push(found)
      return taken
    },
    [Symbol.dispose]: () => stop.abort(),
  }
}

/** @param unparsed - Receives the bytes after the last complete event: the whole body if it is not a stream. */
async function* parse(response: Response, unparsed: { text: string }): AsyncGenerator<StreamEvent, undefined> {
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (unparsed.text + text).split('\n\n')
    unparsed.text = blocks.pop()!
    for (const block of blocks) yield* parseBlock(block)
  }
  return undefined
}

function* parseBlock(block: string): Generator<StreamEvent> {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) {
      yield { event: 'comment', id: undefined, data: line }
      continue
    }
    const match = /^(event|id|data): (.*)$/.exec(line)
    if (!match || fields.has(match[1]!)) throw new Error(`Not a line of an event: ${line}`)
    fields.set(match[1]!, match[2]!)
  }
  if (fields.size === 0) return
  yield { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(fields.get('data')!) }
}

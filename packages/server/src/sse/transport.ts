import type { ServerResponse } from 'node:http'
import { type CursorTopic, encodeCursor } from '@headrace/catalog'
import { endMessages } from '../feed/end-reason.ts'
import type { Transport } from '../feed/transport.ts'
import type { Run } from '../history/run.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'

/** The events of runs, made once for all clients that read the one topic. */
export type EventCache = (run: Run) => Buffer

export function createEventCache(): EventCache {
  const events = new WeakMap<Run, Buffer>()
  return (run) => {
    const known = events.get(run)
    if (known) return known
    const made = formatRun(run, ({ cursor }) => cursor)
    events.set(run, made)
    return made
  }
}

export interface SseTransport extends Transport {
  ready(data: unknown): void
}

export interface SseTransportOptions {
  readonly response: ServerResponse
  readonly starts: readonly { readonly topic: ServedTopic; readonly place: Place }[]
  readonly events: EventCache
}

/** Speaks Server-Sent Events (HTML standard, section 9.2). The id of each is the cursor over all topics. */
export function createSseTransport({ response, starts, events }: SseTransportOptions): SseTransport {
  const places = new Map<string, CursorTopic>()
  for (const { topic, place } of starts) places.set(topic.name, placeIn(topic, place))
  const cursor = () => encodeCursor({ topics: [...places.values()] })
  const send = (event: string, data: unknown, id: string) =>
    void response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)

  return {
    socket: response.socket!,
    onClose: (listener) => void response.once('close', listener),
    ready: (data) => send('ready', data, cursor()),
    records(run) {
      if (starts.length === 1) {
        response.write(events(run))
        setPlace(run.topic, run.records.at(-1)!)
        return
      }
      response.write(
        formatRun(run, (record) => {
          setPlace(run.topic, record)
          return cursor()
        }),
      )
    },
    progress(progress) {
      // The comment keeps alive what counts comments only, and the event tells the rest.
      response.write(':\n')
      send('progress', progress, cursor())
    },
    gap: (gap) => send('gap', gap, cursor()),
    end(reason) {
      if (reason !== 'draining') send('stream_error', { code: reason, detail: endMessages[reason] }, cursor())
      response.end()
    },
  }

  function setPlace(topic: ServedTopic, { offset, seq }: Run['records'][number]): void {
    places.set(topic.name, placeIn(topic, { offset: offset + 1n, seq: seq === null ? null : seq + 1 }))
  }
}

/** The longest cursor that a stream over these topics can come to. Throws when it is too long. */
export function checkCursorLength(topics: readonly ServedTopic[]): void {
  const farthest: Place = { offset: 2n ** 63n - 1n, seq: Number.MAX_SAFE_INTEGER - 1 }
  encodeCursor({ topics: topics.map((topic) => placeIn(topic, farthest)) })
}

function placeIn({ name, id }: ServedTopic, place: Place): CursorTopic {
  return { id, topic: name, partitions: [place] }
}

function formatRun(run: Run, idOf: (record: Run['records'][number]) => string): Buffer {
  return Buffer.concat(
    run.records.flatMap((record) => [Buffer.from(`id: ${idOf(record)}\ndata: `), record.json, blankLine]),
  )
}

const blankLine = Buffer.from('\n\n')

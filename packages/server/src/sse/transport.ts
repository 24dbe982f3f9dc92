import type { ServerResponse } from 'node:http'
import { createReaderPosition, decodeCursor, encodeCursor, type ReaderPosition } from '@headrace/catalog'
import type { TopicStart } from '../feed/start.ts'
import { endMessages, type Transport } from '../feed/transport.ts'
import type { Run } from '../history/run.ts'
import { memoize } from '../memoize.ts'
import { cursorOf, type RenderedRecord, type ServedTopic } from '../topics/served-topic.ts'

/** A run as HTTP chunk (RFC 9112, section 7.1), made once for all clients that read a single topic. */
export type ChunkCache = (run: Run) => Buffer

export function createChunkCache(): ChunkCache {
  return memoize((run: Run) => {
    const events = formatRun(run, cursorOf)
    return Buffer.concat([Buffer.from(`${events.length.toString(16)}\r\n`), events, Buffer.from('\r\n')])
  })
}

export interface SseTransport extends Transport {
  ready(data: unknown): void
}

export interface SseTransportOptions {
  readonly response: ServerResponse
  readonly starts: readonly TopicStart[]
  readonly chunks: ChunkCache
  readonly stallMs: number
}

/** HTML standard, section 9.2. The id of each event is the cursor over all topics. */
export function createSseTransport({ response, starts, chunks, stallMs }: SseTransportOptions): SseTransport {
  const readers = new Map<string, ReaderPosition>()
  for (const { open, position } of starts) readers.set(open.topic.name, createReaderPosition(open.topic, position))
  const cursor = () => encodeCursor({ topics: Array.from(readers.values(), (reader) => reader.entry()) })
  const socket = response.socket!
  // HTTP/1.0 has no chunks, and a HEAD response no body.
  const isChunked = response.req.httpVersion === '1.1' && response.req.method === 'GET'
  const send = (event: string, data: unknown, id: string) =>
    void response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)

  return {
    protocol: 'sse',
    socket,
    onClose: (listener) => void response.once('close', listener),
    ready: (data) => send('ready', data, cursor()),
    records(run) {
      if (starts.length === 1 && isChunked) {
        // `response.write` would make a chunk of the same bytes for every client. Its earlier writes have reached the
        // socket, so chunks never mix.
        socket.write(chunks(run))
        moveAfter(run.topic, run.records.at(-1)!)
        return
      }
      response.write(
        formatRun(run, (record) => {
          moveAfter(run.topic, record)
          return cursor()
        }),
      )
    },
    progress(progress) {
      moveToCursors(progress.cursors)
      // Some proxies count only comments as activity.
      response.write(':\n')
      send('progress', progress, cursor())
    },
    gap(gap) {
      moveToCursors({ [gap.topic]: gap.resumeAt })
      send('gap', gap, cursor())
    },
    end(reason) {
      if (reason !== 'draining') send('stream_error', { code: reason, detail: endMessages[reason] }, cursor())
      response.end()
      const deadline = setTimeout(() => socket.destroy(), stallMs)
      response.once('close', () => clearTimeout(deadline))
    },
  }

  /** Also over records that a filter left out. */
  function moveToCursors(cursors: Readonly<Record<string, string>>): void {
    for (const [topic, cursor] of Object.entries(cursors)) {
      const reader = readers.get(topic)!
      for (const [partition, place] of decodeCursor(cursor).topics[0]!.partitions.entries())
        reader.move(partition, place)
      reader.switchToLog()
    }
  }

  function moveAfter(topic: ServedTopic, record: RenderedRecord): void {
    const reader = readers.get(topic.name)!
    reader.pass(record)
    reader.switchToLog()
  }
}

function formatRun(run: Run, idOf: (record: RenderedRecord) => string): Buffer {
  return Buffer.concat(
    run.records.flatMap((record) => [Buffer.from(`id: ${idOf(record)}\ndata: `), record.json, blankLine]),
  )
}

const blankLine = Buffer.from('\n\n')

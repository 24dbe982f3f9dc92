import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { HeadraceError } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import { checkTopicAllowed } from '../access/admission.ts'
import type { ApiContext } from '../api-context.ts'
import { RefusedError } from '../errors.ts'
import { resolveStart } from '../feed/start.ts'
import { checkNoOpenResponse, route } from '../rest/app.ts'
import type { Query } from '../rest/query.ts'
import { parseStreamQuery, parseStreamTopics, streamEndpoint } from './stream-endpoint.ts'
import { checkCursorLength, createChunkCache, createSseTransport, type StreamedTopic } from './transport.ts'

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export function addStreamRoute(app: FastifyInstance, options: ApiContext): void {
  const { feeds, streams, keyLimits, limits } = options
  const chunks = createChunkCache()
  const endpoint = streamEndpoint(limits)
  route(app, endpoint, async (request, reply, key) => {
    for (const topic of parseStreamTopics(request.query as Query)) checkTopicAllowed(key, topic)
    const lastEventId = request.headers['last-event-id']
    const { topics, ...start } = parseStreamQuery(request.query as Query, lastEventId?.toString(), { endpoint, limits })
    const starts = await Promise.all(topics.map((topic) => resolveStart(options, { topic, ...start })))
    const streamed = starts.map(({ open: { topic }, start }) => ({ topic, position: start.position }))
    checkLength(streamed)

    if (request.method === 'HEAD') return reply.headers(streamHeaders).send(Readable.from([]))
    const response = reply.raw
    checkNoOpenResponse(reply)
    // Other connections may have opened during the awaits above. From here on, nothing awaits.
    keyLimits.checkConnections(key)
    reply.hijack()
    if (response.socket!.destroyed) return
    response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...streamHeaders })
    const transport = createSseTransport({ response, starts: streamed, chunks, stallMs: limits.stallMs })
    transport.ready({
      topics: streamed.map(({ topic, position }) => ({ topic: topic.name, cursor: topic.cursorAt(position) })),
      heartbeatMs: limits.heartbeatMs,
    })
    const stream = streams.open(key, transport)
    for (const { open, start } of starts) stream.add(feeds.of(open), start)
  })
}

function checkLength(starts: readonly StreamedTopic[]): void {
  try {
    checkCursorLength(starts)
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error
    throw new RefusedError(
      'too_many_subscriptions',
      'The cursor of these topics would be too long. Use fewer topics per connection.',
      {
        members: { parameter: 'topics' },
      },
    )
  }
}

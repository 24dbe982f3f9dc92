import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { type CursorTopic, encodeCursor } from '@headrace/catalog'
import { HeadraceError } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import { checkTopicAllowed } from '../access/grant.ts'
import type { ApiContext } from '../api-context.ts'
import { type Endpoint, readRefusals } from '../api-definition/endpoint.ts'
import { checkNames, invalid, selectionParameters } from '../api-definition/parameter.ts'
import { positionSchema, ref } from '../api-definition/schemas.ts'
import { RefusedError } from '../errors.ts'
import { resolveStart, type StartRequest, startMessage, type TopicStart } from '../feed/start.ts'
import type { Limits } from '../options/limits.ts'
import { checkNoOpenResponse, route } from '../rest/app.ts'
import type { Query } from '../rest/query.ts'
import { createChunkCache, createSseTransport } from './transport.ts'

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export function addStreamRoute(app: FastifyInstance, options: ApiContext): void {
  const { feeds, streams, limits } = options
  const chunks = createChunkCache()
  const endpoint = streamEndpoint(limits)
  route(app, endpoint, async (request, reply, grant) => {
    // The order of refusals: `topic_forbidden` comes before `invalid_parameter`.
    for (const topic of readTopics(request.query)) checkTopicAllowed(grant, topic)
    const lastEventId = request.headers['last-event-id']?.toString()
    const requests = parseStreamQuery(request.query, lastEventId, { endpoint, limits })
    const starts = await Promise.all(
      requests.map((each) => resolveStart(options, { ...each, permitted: grant.filter })),
    )
    checkCursorLength(starts)

    if (request.method === 'HEAD') return reply.headers(streamHeaders).send(Readable.from([]))
    const response = reply.raw
    checkNoOpenResponse(reply)
    reply.hijack()
    if (response.socket!.destroyed) return
    response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...streamHeaders })
    const transport = createSseTransport({ response, starts, chunks, stallMs: limits.stallMs })
    transport.ready(startMessage(starts, limits))
    const stream = streams.open(grant, transport)
    for (const start of starts) stream.add(feeds.of(start.open), start)
  })
}

function readTopics({ topics: names }: Query): readonly string[] {
  const topics = [names ?? []].flat().flatMap((list) => list.split(','))
  if (topics.length === 0 || topics.includes(''))
    throw invalid('topics', 'topics must name at least one topic: topics=<topic>, or topics=<topic>,<topic>.')
  if (new Set(topics).size < topics.length) throw invalid('topics', 'topics names a topic twice.')
  return topics
}

/** Positions are from `Last-Event-ID`, else `last_event_id`, else `from`. */
function parseStreamQuery(
  query: Query,
  lastEventId: string | undefined,
  { endpoint, limits: { topicsPerSse } }: { readonly endpoint: Endpoint; readonly limits: Limits },
): StartRequest[] {
  const { topics: _, ...others } = query
  const text = checkNames(others, endpoint.parameters)
  const topics = readTopics(query)
  if (topics.length > topicsPerSse) throw tooManyTopics(`A connection may have at most ${topicsPerSse} topics.`)
  const selection = { filter: text.filter, fields: text.fields }
  if (lastEventId)
    // An EventSource that reconnects would never do so again after an error.
    return topics.map((topic) => ({
      ...selection,
      topic,
      from: lastEventId,
      parameter: 'Last-Event-ID',
      onGap: 'skip',
    }))
  const parameter = text.last_event_id === undefined ? 'from' : 'last_event_id'
  const from = text[parameter] ?? defaultFrom
  return topics.map((topic) => ({ ...selection, topic, from, parameter, onGap: 'error' }))
}

function tooManyTopics(message: string): RefusedError {
  return new RefusedError('too_many_subscriptions', message, { members: { parameter: 'topics' } })
}

/** @throws {RefusedError} a cursor of a stream over these topics could become too long. */
function checkCursorLength(starts: readonly TopicStart[]): void {
  try {
    encodeCursor({ topics: starts.map(longestEntry) })
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error
    throw tooManyTopics('The cursor of these topics would be too long. Use fewer topics per connection.')
  }
}

/** Cursors hold differences, so the place is far from the head. */
function longestEntry({ open: { topic }, position: { partitions, asOf } }: TopicStart): CursorTopic {
  const seq = Number.MAX_SAFE_INTEGER - 1
  const entry = { id: topic.id, topic: topic.name, partitions: partitions.map(() => ({ offset: 2n ** 63n - 1n, seq })) }
  if (!asOf) return entry
  const places = partitions.map(() => ({ offset: 2n ** 62n, seq }))
  return { ...entry, partitions: places, asOf: entry.partitions }
}

const position = positionSchema({ isStart: true })
const defaultFrom = 'latest'

export function streamEndpoint({ topicsPerSse }: Limits): Endpoint {
  return {
    path: '/sse/v1',
    id: 'streamEvents',
    summary: 'Live records as Server-Sent Events',
    description: 'The AsyncAPI document lists the events.',
    access: 'stream',
    parameters: {
      topics: {
        required: true,
        description: `one or more topics, separated by commas, or the parameter repeated; at most ${topicsPerSse}`,
        schema: { type: 'array', items: ref('TopicName'), minItems: 1, maxItems: topicsPerSse, uniqueItems: true },
      },
      from: { description: 'a position, for all topics', schema: { ...position, default: defaultFrom } },
      last_event_id: { description: 'an id of an earlier stream. Takes precedence over `from`', schema: position },
      ...selectionParameters,
    },
    requestHeaders: {
      'Last-Event-ID': {
        description:
          'The id of the last event, which an EventSource sends when it reconnects. Takes precedence over both.',
        schema: { type: 'string' },
      },
    },
    answer: {
      description: 'A stream of events that continues until one side ends it.',
      content: { 'text/event-stream': { type: 'string' } },
    },
    refusals: [...readRefusals, 'too_many_subscriptions'],
  }
}

import type { Endpoint } from '../api-definition/endpoint.ts'
import { checkNames, invalid } from '../api-definition/parameter.ts'
import { positionSchema } from '../api-definition/position-schema.ts'
import { RefusedError } from '../errors.ts'
import type { Limits } from '../options/limits.ts'
import type { Query } from '../rest/query.ts'

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
        schema: {
          type: 'array',
          items: { $ref: '#/components/schemas/TopicName' },
          ...{ minItems: 1, maxItems: topicsPerSse, uniqueItems: true },
        },
      },
      from: { description: 'a position, for all topics', schema: { ...position, default: defaultFrom } },
      last_event_id: {
        description: 'an id of an earlier stream. Takes precedence over `from`',
        schema: position,
      },
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
    refusals: [
      'topic_forbidden',
      'invalid_parameter',
      'invalid_cursor',
      'too_many_subscriptions',
      'topic_not_found',
      'position_unavailable',
      'overloaded',
    ],
  }
}

export interface StreamQuery {
  readonly topics: readonly string[]
  /** From `Last-Event-ID`, else `last_event_id`, else `from`. */
  readonly from: string
  readonly parameter: string
  /** `skip` for a reconnecting EventSource, which would never reconnect after an error. */
  readonly onGap: 'error' | 'skip'
}

/** The topics alone: `topic_forbidden` is checked before other parameters. */
export function parseStreamTopics({ topics: names }: Query): readonly string[] {
  const topics = [names ?? []].flat().flatMap((list) => list.split(','))
  if (topics.length === 0 || topics.includes(''))
    throw invalid('topics', 'topics must name at least one topic: topics=<topic>, or topics=<topic>,<topic>.')
  if (new Set(topics).size < topics.length) throw invalid('topics', 'topics names a topic twice.')
  return topics
}

export function parseStreamQuery(
  query: Query,
  lastEventId: string | undefined,
  { endpoint, limits: { topicsPerSse } }: { readonly endpoint: Endpoint; readonly limits: Limits },
): StreamQuery {
  const { topics: _, ...others } = query
  const text = checkNames(others, endpoint.parameters)
  const topics = parseStreamTopics(query)
  if (topics.length > topicsPerSse)
    throw new RefusedError('too_many_subscriptions', `A connection may have at most ${topicsPerSse} topics.`, {
      members: { parameter: 'topics' },
    })
  if (lastEventId) return { topics, from: lastEventId, parameter: 'Last-Event-ID', onGap: 'skip' }
  const parameter = text.last_event_id === undefined ? 'from' : 'last_event_id'
  return { topics, from: text[parameter] ?? defaultFrom, parameter, onGap: 'error' }
}

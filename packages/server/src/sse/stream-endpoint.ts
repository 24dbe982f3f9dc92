import type { Endpoint } from '../api-definition/endpoint.ts'
import type { PositionParameter, TopicsParameter } from '../api-definition/parameter.ts'
import { invalid, singleParameters } from '../api-definition/read-parameters.ts'
import { RefusedError } from '../errors.ts'
import type { Limits } from '../options/limits.ts'
import type { Query } from '../rest/query.ts'

export interface StreamEndpoint extends Endpoint {
  readonly parameters: {
    readonly topics: TopicsParameter
    readonly from: PositionParameter & { readonly default: string }
    readonly last_event_id: PositionParameter
  }
}

export function streamEndpoint({ topicsPerSse }: Limits): StreamEndpoint {
  return {
    path: '/sse/v1',
    id: 'streamEvents',
    summary: 'Live records as Server-Sent Events',
    description: 'The AsyncAPI document lists the events.',
    access: 'stream',
    parameters: {
      topics: {
        kind: 'topics',
        maximum: topicsPerSse,
        description: `one or more topics, separated by commas, or the parameter repeated; at most ${topicsPerSse}`,
      },
      from: {
        kind: 'position',
        ...{ isStart: true, default: 'latest' },
        description: 'a position, for all topics',
      },
      last_event_id: {
        kind: 'position',
        isStart: true,
        description: 'an id of an earlier stream. Takes precedence over `from`',
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
  /** The start position: `Last-Event-ID`, else `last_event_id`, else `from`, else the end. */
  readonly from: string
  /** The name of the parameter that gave `from`. */
  readonly parameter: string
  /** `skip` for a reconnecting EventSource, which would never reconnect after an error. */
  readonly onGap: 'error' | 'skip'
}

/**
 * Reads the topics alone, since a topic that the key does not cover is refused before other parameters are checked.
 *
 * @throws {RefusedError} `invalid_parameter`
 */
export function parseStreamTopics({ topics: names }: Query): readonly string[] {
  const topics = [names ?? []].flat().flatMap((list) => list.split(','))
  if (topics.length === 0 || topics.includes(''))
    throw invalid('topics', 'topics must name at least one topic: topics=<topic>, or topics=<topic>,<topic>.')
  if (new Set(topics).size < topics.length) throw invalid('topics', 'topics names a topic twice.')
  return topics
}

/** @throws {RefusedError} `invalid_parameter`, `too_many_subscriptions` */
export function parseStreamQuery(
  query: Query,
  lastEventId: string | undefined,
  { parameters }: StreamEndpoint,
): StreamQuery {
  const { topics: _, ...others } = query
  const text = singleParameters(others, parameters)
  const topics = parseStreamTopics(query)
  const { maximum } = parameters.topics
  if (topics.length > maximum)
    throw new RefusedError('too_many_subscriptions', `A connection may have at most ${maximum} topics.`, {
      members: { parameter: 'topics' },
    })
  if (lastEventId) return { topics, from: lastEventId, parameter: 'Last-Event-ID', onGap: 'skip' }
  const parameter = text.last_event_id === undefined ? 'from' : 'last_event_id'
  return { topics, from: text[parameter] ?? parameters.from.default, parameter, onGap: 'error' }
}

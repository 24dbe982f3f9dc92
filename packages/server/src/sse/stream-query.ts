import { invalid, singleParameters } from '../api-definition/read-parameters.ts'
import { RefusedError } from '../errors.ts'
import type { Query } from '../rest/query.ts'
import type { StreamEndpoint } from './stream-endpoint.ts'

/** What `GET /sse/v1` is asked for. */
export interface StreamQuery {
  readonly topics: readonly string[]
  /** The position to begin at: `Last-Event-ID`, else `last_event_id`, else `from`, else the end. */
  readonly from: string
  /** Which of these it is. */
  readonly parameter: string
  /** A reconnecting EventSource would stop for ever on an error: it is told of a gap instead. */
  readonly onGap: 'error' | 'skip'
}

/**
 * The topics that a stream is asked for. Whether the key covers them is told before anything else that may be wrong.
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
    throw new RefusedError('too_many_subscriptions', `A connection may have ${maximum} topics.`, {
      members: { parameter: 'topics' },
    })
  if (lastEventId) return { topics, from: lastEventId, parameter: 'Last-Event-ID', onGap: 'skip' }
  const parameter = text.last_event_id === undefined ? 'from' : 'last_event_id'
  return { topics, from: text[parameter] ?? parameters.from.default, parameter, onGap: 'error' }
}

import type { Endpoint } from '../api-definition/endpoint.ts'
import type { PositionParameter, TopicsParameter } from '../api-definition/parameter.ts'
import type { Limits } from '../operations/limits.ts'

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
    description: 'The AsyncAPI document says which events there are.',
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
        description: 'an id from an earlier stream. Wins over `from`',
      },
    },
    requestHeaders: {
      'Last-Event-ID': {
        description: 'The id of the last event, which an EventSource sends when it reconnects. Wins over both.',
        schema: { type: 'string' },
      },
    },
    answer: {
      description: 'A stream of events, which goes on until one side ends it.',
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

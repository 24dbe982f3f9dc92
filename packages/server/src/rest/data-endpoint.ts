import type { Endpoint } from '../api-definition/endpoint.ts'
import type {
  ChoiceParameter,
  CursorParameter,
  IntegerParameter,
  PositionParameter,
} from '../api-definition/parameter.ts'
import type { Limits } from '../operations/limits.ts'

export interface DataEndpoint extends Endpoint {
  readonly parameters: {
    readonly limit: IntegerParameter
    readonly order: ChoiceParameter<'desc' | 'asc'>
    readonly from: PositionParameter & { readonly default: string }
    readonly to: PositionParameter & { readonly default: string }
    readonly cursor: CursorParameter
    readonly view: ChoiceParameter<'canonical' | 'log'>
    readonly format: ChoiceParameter<'json' | 'ndjson'>
  }
}

export function dataEndpoint(limits: Limits): DataEndpoint {
  const { pageRecords, maxPageRecords, pageBytes } = limits
  return {
    path: '/api/v1/data/{topic}',
    id: 'readData',
    summary: 'History of a topic',
    description: `A page holds up to \`limit\` records and ends early at ${pageBytes >> 20} MiB. Go on while \`hasMore\` is true.`,
    access: 'request',
    parameters: {
      limit: {
        kind: 'integer',
        ...{ minimum: 1, maximum: maxPageRecords, default: pageRecords },
        description: `records of a page, 1 to ${maxPageRecords}`,
      },
      order: {
        kind: 'choice',
        values: ['desc', 'asc'],
        description: '`desc`: newest first. `asc`: oldest first',
      },
      from: {
        kind: 'position',
        ...{ isStart: true, default: 'earliest' },
        description: 'a position: the range begins there',
      },
      to: {
        kind: 'position',
        ...{ isStart: false, default: 'latest' },
        description: 'a position: the range ends before it',
      },
      cursor: {
        kind: 'cursor',
        description: '`nextCursor` of the page before. Stands in for `from` with `asc`, for `to` with `desc`',
      },
      view: {
        kind: 'choice',
        values: ['canonical', 'log'],
        description: '`canonical`, or `log` with what was taken back',
      },
      format: {
        kind: 'choice',
        values: ['json', 'ndjson'],
        description: '`json`, or `ndjson`: the whole range, a record a line, without `limit`',
      },
    },
    answer: {
      description: 'A page of records, or with `format=ndjson` all of the range.',
      content: {
        'application/json': { $ref: '#/components/schemas/Page' },
        'application/x-ndjson': { $ref: '#/components/schemas/Record' },
      },
      headers: {
        'Headrace-End-Cursor': {
          description: 'With `format=ndjson`: the cursor of the end of the range, fixed at the request.',
          schema: { $ref: '#/components/schemas/Cursor' },
        },
      },
    },
    refusals: [
      'topic_forbidden',
      'invalid_parameter',
      'invalid_cursor',
      'topic_not_found',
      'position_unavailable',
      'overloaded',
    ],
  }
}

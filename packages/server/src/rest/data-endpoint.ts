import type { Position } from '@headrace/catalog'
import type { Endpoint } from '../api-definition/endpoint.ts'
import type {
  ChoiceParameter,
  CursorParameter,
  IntegerParameter,
  PositionParameter,
} from '../api-definition/parameter.ts'
import {
  invalid,
  readChoice,
  readCursor,
  readInteger,
  readPosition,
  singleParameters,
} from '../api-definition/read-parameters.ts'
import type { Limits } from '../options/limits.ts'
import type { Query } from './query.ts'

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
    description: `A page holds up to \`limit\` records and ends early at ${pageBytes >> 20} MiB. Read on while \`hasMore\` is true.`,
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
        description: '`nextCursor` of the previous page. Replaces `from` with `asc`, and `to` with `desc`',
      },
      view: {
        kind: 'choice',
        values: ['canonical', 'log'],
        description: '`canonical`, or `log`, which includes reverted records',
      },
      format: {
        kind: 'choice',
        values: ['json', 'ndjson'],
        description: '`json`, or `ndjson`: the whole range, one record per line, without `limit`',
      },
    },
    answer: {
      description: 'A page of records, or the whole range with `format=ndjson`.',
      content: {
        'application/json': { $ref: '#/components/schemas/Page' },
        'application/x-ndjson': { $ref: '#/components/schemas/Record' },
      },
      headers: {
        'Headrace-End-Cursor': {
          description:
            'With `format=ndjson`: the cursor of the end of the range, which is fixed at the time of the request.',
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

export interface DataQuery {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  readonly from: Position
  readonly to: Position
  readonly view: 'log' | 'canonical'
  readonly format: 'json' | 'ndjson'
}

/**
 * @throws {RefusedError} `invalid_parameter`
 * @throws {UserError} `invalid_cursor`
 */
export function parseDataQuery(query: Query, { parameters }: DataEndpoint): DataQuery {
  const text = singleParameters(query, parameters)
  const order = readChoice('order', parameters.order, text.order)
  const format = readChoice('format', parameters.format, text.format)
  if (format === 'ndjson' && text.limit !== undefined)
    throw invalid(
      'limit',
      'limit cannot be used with format=ndjson, which returns the whole range. Bound it with from and to, e.g. from=last:100.',
    )
  const replaced = order === 'asc' ? 'from' : 'to'
  if (text.cursor !== undefined && text[replaced] !== undefined)
    throw invalid(replaced, `With order=${order}, cursor replaces ${replaced}: send only one of them.`)
  const cursor = text.cursor === undefined ? undefined : readCursor(text.cursor)
  return {
    limit: readInteger('limit', parameters.limit, text.limit),
    order,
    from: (order === 'asc' && cursor) || readPosition('from', parameters.from, text.from ?? parameters.from.default),
    to: (order === 'desc' && cursor) || readPosition('to', parameters.to, text.to ?? parameters.to.default),
    view: readChoice('view', parameters.view, text.view),
    format,
  }
}

import type { Position } from '@headrace/catalog'
import { type Endpoint, readRefusals } from '../api-definition/endpoint.ts'
import {
  choice,
  count,
  cursor,
  invalid,
  type Parameter,
  position,
  readParameters,
  selectionParameters,
  type Values,
} from '../api-definition/parameter.ts'
import { ref } from '../api-definition/schemas.ts'
import type { Limits } from '../options/limits.ts'
import type { SelectionRequest } from '../selection/selection.ts'
import type { Query } from './query.ts'

export interface DataEndpoint extends Endpoint {
  readonly parameters: {
    readonly limit: Parameter<number>
    readonly order: Parameter<'desc' | 'asc'>
    readonly from: Parameter<Position>
    readonly to: Parameter<Position>
    readonly cursor: Parameter<Position | undefined>
    readonly view: Parameter<'canonical' | 'log'>
    readonly format: Parameter<'json' | 'ndjson'>
    readonly filter: Parameter<string | undefined>
    readonly fields: Parameter<string | undefined>
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
      limit: count(`records of a page, 1 to ${maxPageRecords}`, maxPageRecords, pageRecords),
      order: choice('`desc`: newest first. `asc`: oldest first', ['desc', 'asc']),
      from: position('a position: the range begins there', { isStart: true, default: 'earliest' }),
      to: position('a position: the range ends before it', { isStart: false, default: 'latest' }),
      cursor: cursor('`nextCursor` of the previous page. Replaces `from` with `asc`, and `to` with `desc`'),
      view: choice('`canonical`, or `log`, which includes reverted records', ['canonical', 'log']),
      format: choice('`json`, or `ndjson`: the whole range, one record per line, without `limit`', ['json', 'ndjson']),
      ...selectionParameters,
    },
    requestHeaders: {
      'If-None-Match': { description: 'The `ETag` of a page that the client holds.', schema: { type: 'string' } },
    },
    answer: {
      description: 'A page of records, or the whole range with `format=ndjson`.',
      notModified: 'The client holds this page: `If-None-Match` names its `ETag`.',
      content: {
        'application/json': ref('Page'),
        'application/x-ndjson': ref('Record'),
      },
      headers: {
        ETag: { description: 'Of a page: changes whenever the page changes.', schema: { type: 'string' } },
        'Cache-Control': {
          description: 'Of a page: `immutable` if nothing can change it, else `no-cache`.',
          schema: { type: 'string' },
        },
        'Headrace-End-Cursor': {
          description:
            'With `format=ndjson`: the cursor of the end of the range, which is fixed at the time of the request.',
          schema: ref('Cursor'),
        },
      },
    },
    refusals: readRefusals,
  }
}

export interface DataQuery
  extends Omit<Values<DataEndpoint['parameters']>, 'cursor'>,
    Pick<SelectionRequest, 'permitted'> {
  /** Absent for a first page. */
  readonly continued?: Continuation
}

/** The bounds of a page after the first, as they are in the URL. */
export interface Continuation {
  readonly cursor: string
  /** Where reading ends: `to` with `asc`, `from` with `desc`. */
  readonly end: string | undefined
}

export function parseDataQuery(query: Query, { parameters }: DataEndpoint): DataQuery {
  const { cursor, ...values } = readParameters(query, parameters)
  if (values.format === 'ndjson' && query.limit !== undefined)
    throw invalid(
      'limit',
      'limit cannot be used with format=ndjson, which returns the whole range. Bound it with from and to, e.g. from=last:100.',
    )
  if (!cursor) return values
  const replaced = values.order === 'asc' ? 'from' : 'to'
  if (query[replaced] !== undefined)
    throw invalid(replaced, `With order=${values.order}, cursor replaces ${replaced}: send only one of them.`)
  const end = values.order === 'asc' ? query.to : query.from
  return {
    ...values,
    [replaced]: cursor,
    continued: { cursor: query.cursor as string, end: end as string | undefined },
  }
}

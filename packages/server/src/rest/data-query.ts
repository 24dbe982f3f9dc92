import type { Position } from '@headrace/catalog'
import {
  invalid,
  readChoice,
  readCursor,
  readInteger,
  readPosition,
  singleParameters,
} from '../api-definition/read-parameters.ts'
import type { DataEndpoint } from './data-endpoint.ts'
import type { Query } from './query.ts'

/** What `GET /api/v1/data/<topic>` is asked for. */
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
    throw invalid('limit', 'format=ndjson gives the whole range: bound it with from and to, e.g. from=last:100.')
  const replaced = order === 'asc' ? 'from' : 'to'
  if (text.cursor !== undefined && text[replaced] !== undefined)
    throw invalid(replaced, `With order=${order}, cursor stands in for ${replaced}: send one of the two.`)
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

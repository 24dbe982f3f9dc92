import { decodeCursor, type Position, parsePosition } from '@headrace/catalog'
import { HeadraceError } from '@headrace/queue'
import { RefusedError } from '../errors.ts'
import type { Limits } from '../operations/limits.ts'
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

const names = ['limit', 'order', 'from', 'to', 'cursor', 'view', 'format', 'api_key'] as const

/** @throws {RefusedError} `invalid_parameter`, `invalid_cursor` */
export function parseDataQuery(query: Query, limits: Limits): DataQuery {
  const text = singleParameters(query, names)
  const order = oneOf('order', text.order, ['desc', 'asc'])
  const format = oneOf('format', text.format, ['json', 'ndjson'])
  if (format === 'ndjson' && text.limit !== undefined)
    throw invalid('limit', 'format=ndjson gives the whole range: bound it with from and to, e.g. from=last:100.')
  const replaced = order === 'asc' ? 'from' : 'to'
  if (text.cursor !== undefined && text[replaced] !== undefined)
    throw invalid(replaced, `With order=${order}, cursor stands in for ${replaced}: send one of the two.`)
  const cursor: Position | undefined = text.cursor === undefined ? undefined : readCursor(text.cursor)
  if (text.to?.startsWith('last:')) throw invalid('to', 'last:N can be a start only: use it as from.')
  return {
    limit: text.limit === undefined ? limits.pageRecords : parseLimit(text.limit, limits.maxPageRecords),
    order,
    from: (order === 'asc' && cursor) || readPosition('from', text.from ?? 'earliest'),
    to: (order === 'desc' && cursor) || readPosition('to', text.to ?? 'latest'),
    view: oneOf('view', text.view, ['canonical', 'log']),
    format,
  }
}

/**
 * The parameters of a request, each of which may be there once.
 *
 * @throws {RefusedError} `invalid_parameter`: one is unknown or repeated.
 */
export function singleParameters<Name extends string>(
  query: Query,
  allowed: readonly Name[],
): Partial<Record<Name, string>> {
  const known: readonly string[] = allowed
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) throw invalid(name, `There is no such parameter here. Allowed: ${known.join(', ')}.`)
    if (Array.isArray(value)) throw invalid(name, `${name} is there ${value.length} times; once is allowed.`)
  }
  return query as Partial<Record<Name, string>>
}

export function invalid(parameter: string, message: string): Error {
  return new RefusedError('invalid_parameter', message, { members: { parameter } })
}

function parseLimit(text: string, max: number): number {
  const limit = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > max) throw invalid('limit', `limit must be a whole number from 1 to ${max}.`)
  return limit
}

function oneOf<Value extends string>(
  name: string,
  value: string | undefined,
  allowed: readonly [Value, ...Value[]],
): Value {
  if (value === undefined) return allowed[0]
  const found = allowed.find((each) => each === value)
  if (found === undefined) throw invalid(name, `${name} must be ${allowed.join(' or ')}.`)
  return found
}

function readCursor(text: string): Position {
  return { kind: 'cursor', cursor: decodeCursor(text) }
}

function readPosition(parameter: string, text: string): Position {
  try {
    return parsePosition(text)
  } catch (error) {
    if (error instanceof HeadraceError && error.code === 'invalid_position') throw invalid(parameter, error.message)
    throw error
  }
}

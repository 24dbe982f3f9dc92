import { decodeCursor, type Position, parsePosition } from '@headrace/catalog'
import { HeadraceError } from '@headrace/queue'
import { RefusedError } from '../errors.ts'
import type { Query } from '../rest/query.ts'
import type { ChoiceParameter, IntegerParameter, Parameter, PositionParameter, TimeParameter } from './parameter.ts'

/** Allowed on every path. Admission has already read it. */
const keyParameter = 'api_key'

/**
 * The parameters of a request, each of which may occur once.
 *
 * @throws {RefusedError} `invalid_parameter`: one is unknown or repeated.
 */
export function singleParameters<Name extends string>(
  query: Query,
  parameters: Readonly<Record<Name, Parameter>>,
): Partial<Record<Name, string>> {
  for (const [name, value] of Object.entries(query)) {
    if (!Object.hasOwn(parameters, name) && name !== keyParameter)
      throw invalid(name, `This parameter is unknown. Allowed: ${allowed(parameters)}.`)
    if (Array.isArray(value)) throw invalid(name, `${name} occurs ${value.length} times; it may occur once.`)
  }
  return query as Partial<Record<Name, string>>
}

/** @throws {RefusedError} `invalid_parameter` */
export function readInteger(name: string, parameter: IntegerParameter, text: string | undefined): number {
  if (text === undefined) return parameter.default
  const { minimum, maximum } = parameter
  const value = /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : Number.NaN
  if (value >= minimum && value <= maximum) return value
  throw invalid(name, `${name} must be a whole number from ${minimum} to ${maximum}.`)
}

/** @throws {RefusedError} `invalid_parameter` */
export function readChoice<Value extends string>(
  name: string,
  { values }: ChoiceParameter<Value>,
  text: string | undefined,
): Value {
  if (text === undefined) return values[0]
  const found = values.find((value) => value === text)
  if (found === undefined) throw invalid(name, `${name} must be ${values.join(' or ')}.`)
  return found
}

/** @throws {UserError} `invalid_cursor` */
export function readCursor(text: string): Position {
  return { kind: 'cursor', cursor: decodeCursor(text) }
}

/**
 * Reads a position. `last:N` is allowed only as the start of a range.
 *
 * @throws {RefusedError} `invalid_parameter`
 * @throws {UserError} `invalid_cursor`
 */
export function readPosition(name: string, { isStart }: Pick<PositionParameter, 'isStart'>, text: string): Position {
  const position = parse(name, text)
  if (position.kind === 'last' && !isStart) throw invalid(name, 'last:N can be a start only: use it as from.')
  return position
}

/**
 * Reads a time as ms since the Unix epoch.
 *
 * @throws {RefusedError} `invalid_parameter`
 */
export function readTime(name: string, parameter: TimeParameter, text: string = parameter.default): number {
  const position = text.startsWith('A') ? undefined : parse(name, text)
  if (position?.kind === 'time') return position.time
  throw invalid(name, `${name} must be an RFC 3339 time such as 2026-08-21T10:00:00Z, or a time ago such as -24h.`)
}

function parse(name: string, text: string): Position {
  try {
    return parsePosition(text)
  } catch (error) {
    if (error instanceof HeadraceError && error.code === 'invalid_position') throw invalid(name, error.message)
    throw error
  }
}

export function invalid(parameter: string, message: string): RefusedError {
  return new RefusedError('invalid_parameter', message, { members: { parameter } })
}

function allowed(parameters: object): string {
  return [...Object.keys(parameters), keyParameter].join(', ')
}

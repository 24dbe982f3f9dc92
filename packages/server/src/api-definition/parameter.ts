import { decodeCursor, type JsonSchema, type Position, parsePosition } from '@headrace/catalog'
import { HeadraceError } from '@headrace/queue'
import { RefusedError } from '../errors.ts'
import type { Query } from '../rest/query.ts'
import { positionSchema, ref, timeSchema } from './schemas.ts'

export interface ParameterDefinition {
  /** In Markdown. */
  readonly description: string
  readonly schema: JsonSchema
  readonly required?: true
}

export interface Parameter<Value = unknown> extends ParameterDefinition {
  /**
   * @throws {RefusedError} `invalid_parameter`
   * @throws {UserError} `invalid_cursor`
   */
  read(name: string, text: string | undefined): Value
}

/** A whole number from 1 on. */
export function count(description: string, maximum: number, absent: number): Parameter<number> {
  return {
    description,
    schema: { type: 'integer', minimum: 1, maximum, default: absent },
    read(name, text) {
      if (text === undefined) return absent
      const value = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN
      if (value <= maximum) return value
      throw invalid(name, `${name} must be a whole number from 1 to ${maximum}.`)
    },
  }
}

export function choice<Value extends string>(
  description: string,
  values: readonly [Value, ...Value[]],
): Parameter<Value> {
  return {
    description,
    schema: { type: 'string', enum: values, default: values[0] },
    read(name, text = values[0]) {
      const found = values.find((value) => value === text)
      if (found === undefined) throw invalid(name, `${name} must be ${values.join(' or ')}.`)
      return found
    },
  }
}

export interface PositionOptions {
  /** Whether `last:N` is allowed. */
  readonly isStart: boolean
  readonly default: string
}

export function position(description: string, { isStart, default: absent }: PositionOptions): Parameter<Position> {
  return {
    description,
    schema: { ...positionSchema({ isStart }), default: absent },
    read: (name, text = absent) => readPosition(name, text, { isStart }),
  }
}

/** A time, read as ms since the Unix epoch. */
export function time(description: string, absent: string): Parameter<number> {
  return {
    description,
    schema: { ...timeSchema, default: absent },
    read(name, text = absent) {
      const position = text.startsWith('A') ? undefined : parse(name, text)
      if (position?.kind === 'time') return position.time
      throw invalid(name, `${name} must be an RFC 3339 time such as 2026-08-21T10:00:00Z, or a time ago such as -24h.`)
    },
  }
}

export function cursor(description: string): Parameter<Position | undefined> {
  return {
    description,
    schema: ref('Cursor'),
    read: (_name, text) => (text === undefined ? undefined : { kind: 'cursor', cursor: decodeCursor(text) }),
  }
}

/** Read once the topic is known, by `selectionOf`. */
function topicText(description: string, schema: JsonSchema): TextParameter {
  return { description, schema: { type: 'string', minLength: 1, ...schema }, read: (_name, text) => text }
}

type TextParameter = Parameter<string | undefined>

export const selectionParameters: { readonly filter: TextParameter; readonly fields: TextParameter } = {
  filter: topicText('a filter: only records for which this CEL expression is true', {
    maxLength: 2048,
  }),
  fields: topicText('only these fields of `value`, separated by commas', {}),
}

export function readPosition(name: string, text: string, { isStart }: Pick<PositionOptions, 'isStart'>): Position {
  const position = parse(name, text)
  if (position.kind === 'last' && !isStart) throw invalid(name, 'last:N can be a start only: use it as from.')
  return position
}

function parse(name: string, text: string): Position {
  try {
    return parsePosition(text)
  } catch (error) {
    if (error instanceof HeadraceError && error.code === 'invalid_position') throw invalid(name, error.message)
    throw error
  }
}

export type Values<Parameters extends Readonly<Record<string, Parameter>>> = {
  readonly [Name in keyof Parameters]: ReturnType<Parameters[Name]['read']>
}

export function readParameters<Parameters extends Readonly<Record<string, Parameter>>>(
  query: Query,
  parameters: Parameters,
): Values<Parameters> {
  const text = checkNames(query, parameters)
  const values: Record<string, unknown> = {}
  for (const name in parameters) values[name] = parameters[name]!.read(name, text[name])
  return values as Values<Parameters>
}

/** Allowed on every path. */
const keyParameter = 'api_key'

/** @throws {RefusedError} `invalid_parameter`: a parameter is unknown or occurs twice. */
export function checkNames(query: Query, known: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(query)) {
    if (!Object.hasOwn(known, name) && name !== keyParameter)
      throw invalid(name, `This parameter is unknown. Allowed: ${[...Object.keys(known), keyParameter].join(', ')}.`)
    if (Array.isArray(value)) throw invalid(name, `${name} occurs ${value.length} times; it may occur once.`)
  }
  return query as Readonly<Record<string, string>>
}

export function invalid(parameter: string, message: string): RefusedError {
  return new RefusedError('invalid_parameter', message, { members: { parameter } })
}

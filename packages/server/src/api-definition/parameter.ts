import type { JsonSchema } from '@headrace/catalog'
import { positionSchema, timeSchema } from './position-schema.ts'

/** A query parameter. Requests are checked with it, and the documents and reference pages describe it. */
export type Parameter =
  | IntegerParameter
  | ChoiceParameter<string>
  | PositionParameter
  | TimeParameter
  | CursorParameter
  | TopicsParameter

interface Described {
  /** Meaning and allowed values, in Markdown. */
  readonly description: string
}

export interface IntegerParameter extends Described {
  readonly kind: 'integer'
  readonly minimum: number
  readonly maximum: number
  readonly default: number
}

export interface ChoiceParameter<Value extends string> extends Described {
  readonly kind: 'choice'
  /** The first value is the default. */
  readonly values: readonly [Value, ...Value[]]
}

export interface PositionParameter extends Described {
  readonly kind: 'position'
  /** Whether `last:N` is allowed. */
  readonly isStart: boolean
  readonly default?: string
}

export interface TimeParameter extends Described {
  readonly kind: 'time'
  readonly default: string
}

export interface CursorParameter extends Described {
  readonly kind: 'cursor'
}

/** Names separated by commas, or the parameter repeated. */
export interface TopicsParameter extends Described {
  readonly kind: 'topics'
  readonly maximum: number
}

export function parameterSchema(parameter: Parameter): JsonSchema {
  switch (parameter.kind) {
    case 'integer': {
      const { minimum, maximum } = parameter
      return { type: 'integer', minimum, maximum, default: parameter.default }
    }
    case 'choice':
      return { type: 'string', enum: parameter.values, default: parameter.values[0] }
    case 'position': {
      const schema = positionSchema({ isStart: parameter.isStart })
      return parameter.default === undefined ? schema : { ...schema, default: parameter.default }
    }
    case 'time':
      return { ...timeSchema, default: parameter.default }
    case 'cursor':
      return { $ref: '#/components/schemas/Cursor' }
    case 'topics':
      return {
        type: 'array',
        items: { $ref: '#/components/schemas/TopicName' },
        minItems: 1,
        maxItems: parameter.maximum,
        uniqueItems: true,
      }
  }
}

/** The value of an absent parameter; `undefined` if it has no default. */
export function defaultOf(parameter: Parameter): string | undefined {
  if (parameter.kind === 'choice') return parameter.values[0]
  return 'default' in parameter ? String(parameter.default) : undefined
}

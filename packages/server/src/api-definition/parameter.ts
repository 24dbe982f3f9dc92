import type { JsonSchema } from '@headrace/catalog'
import { positionSchema, timeSchema } from './position-schema.ts'

/** A parameter of a query: what requests are checked by, and what documents and reference pages say of it. */
export type Parameter =
  | IntegerParameter
  | ChoiceParameter<string>
  | PositionParameter
  | TimeParameter
  | CursorParameter
  | TopicsParameter

interface Described {
  /** What it is and what it may be, in Markdown. */
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
  /** The first one is the default. */
  readonly values: readonly [Value, ...Value[]]
}

export interface PositionParameter extends Described {
  readonly kind: 'position'
  /** Whether it may be `last:N`. */
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

/** The JSON Schema of a parameter's values, with its default. */
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

/** What stands for a parameter that is not there; `undefined` where nothing does. */
export function defaultOf(parameter: Parameter): string | undefined {
  if (parameter.kind === 'choice') return parameter.values[0]
  return 'default' in parameter ? String(parameter.default) : undefined
}

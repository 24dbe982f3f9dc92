import type { JsonSchema } from '@headrace/catalog'
import { ToolError } from './tool-error.ts'

export interface ToolParameter<Value = unknown> {
  readonly schema: JsonSchema
  /** Without it, `absent` is the value. */
  readonly isRequired: boolean
  readonly absent?: Value
  /** Continues "must be". */
  readonly allowed: string
  allows(value: unknown): boolean
}

export type ArgumentsOf<Parameters extends Readonly<Record<string, ToolParameter>>> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends ToolParameter<infer Value> ? Value : never
}

export function requiredText(description: string, maxLength: number): ToolParameter<string> {
  return { ...(text(description, maxLength) as ToolParameter<string>), isRequired: true }
}

export function text(description: string, maxLength: number): ToolParameter<string | undefined> {
  return {
    schema: { type: 'string', description, minLength: 1, maxLength },
    isRequired: false,
    allowed: `a text of 1 to ${maxLength} characters`,
    allows: (value) => typeof value === 'string' && value.length >= 1 && value.length <= maxLength,
  }
}

export interface CountBounds {
  /** Default: 1. */
  readonly least?: number
  readonly most: number
  readonly absent: number
}

export function count(description: string, { least = 1, most, absent }: CountBounds): ToolParameter<number> {
  return {
    schema: { type: 'integer', description, minimum: least, maximum: most, default: absent },
    isRequired: false,
    absent,
    allowed: `a whole number from ${least} to ${most}`,
    allows: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  }
}

export function choice<Value extends string>(
  description: string,
  values: readonly [Value, ...Value[]],
): ToolParameter<Value> {
  return {
    schema: { type: 'string', description, enum: values, default: values[0] },
    isRequired: false,
    absent: values[0],
    allowed: values.map((value) => `"${value}"`).join(' or '),
    allows: (value) => values.includes(value as Value),
  }
}

export function names(description: string, most: number): ToolParameter<readonly string[] | undefined> {
  return {
    schema: { type: 'array', description, items: { type: 'string' }, minItems: 1, maxItems: most },
    isRequired: false,
    allowed: `a list of 1 to ${most} texts`,
    allows: (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= most &&
      value.every((name) => typeof name === 'string'),
  }
}

export function inputSchema(parameters: Readonly<Record<string, ToolParameter>>): JsonSchema {
  const entries = Object.entries(parameters)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    required: entries.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
    additionalProperties: false,
  }
}

/** `null` is the same as an absent argument: some models send it. */
export function readArguments<Parameters extends Readonly<Record<string, ToolParameter>>>(
  tool: string,
  parameters: Parameters,
  given: Readonly<Record<string, unknown>>,
): ArgumentsOf<Parameters> {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(parameters, name))
      throw new ToolError(`${tool} has no argument ${quote(name)}. It has: ${Object.keys(parameters).join(', ')}.`)
  const values = Object.entries(parameters).map(([name, parameter]) => [name, read(name, parameter, given[name])])
  return Object.fromEntries(values) as ArgumentsOf<Parameters>
}

function read(name: string, { isRequired, absent, allowed, allows }: ToolParameter, value: unknown): unknown {
  if (value === undefined || value === null) {
    if (isRequired) throw new ToolError(`The argument "${name}" is missing. It must be ${allowed}.`)
    return absent
  }
  if (!allows(value)) throw new ToolError(`The argument "${name}" is ${quote(value)}. It must be ${allowed}.`)
  return value
}

const quotedCharacters = 100

function quote(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= quotedCharacters ? text : `${text.slice(0, quotedCharacters)}…`
}

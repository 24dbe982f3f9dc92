/** The parts of JSON Schema (draft 2020-12) that the documents of a gateway use. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly contentEncoding?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>
  readonly content?: Content
}

export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

interface Components {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** OpenAPI 3.1. */
export interface OpenApi extends Components {
  readonly info: { readonly description?: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export interface Message {
  readonly name: string
  readonly summary?: string
  readonly payload?: Schema
}

interface Reference {
  readonly $ref: string
}

/** AsyncAPI 3.0. */
export interface AsyncApi {
  readonly channels: Readonly<
    Record<
      string,
      {
        readonly address: string
        readonly description?: string
        readonly messages: Readonly<Record<string, Reference>>
      }
    >
  >
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly messages: Readonly<Record<string, Message>>
  }
}

export type Schemas = Readonly<Record<string, Schema>>

export interface Endpoint extends Operation {
  readonly method: string
  readonly path: string
}

export function endpointsOf({ paths }: OpenApi): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

export function needsKey({ security }: Operation): boolean {
  return security?.length !== 0
}

/** The last part of a reference: `Cursor` of `#/components/schemas/Cursor`. */
export function referenceName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** Follows a reference. The description next to it has priority. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, ...own } = schema
  const name = $ref && referenceName($ref)
  return name && Object.hasOwn(schemas, name) ? { ...schemas[name]!, ...own } : schema
}

/** `integer, 1 to 1000`; `Cursor`; `one of desc, asc`. */
export function typeText(schema: Schema): string {
  const { $ref, type, items, anyOf, oneOf, format, contentEncoding, additionalProperties } = schema
  if ($ref) return referenceName($ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  const choices = anyOf ?? oneOf
  if (choices) return [...new Set(choices.map(typeText))].join(' or ')
  if (type === 'array') return items ? `array of ${typeText(items)}` : 'array'
  if (type === 'object' && typeof additionalProperties === 'object')
    return `object of ${typeText(additionalProperties)}`
  const name = typeof type === 'string' ? type : (type?.join(' or ') ?? 'any value')
  return [name, format === 'date-time' ? 'RFC 3339' : format, contentEncoding, rangeText(schema)]
    .filter(Boolean)
    .join(', ')
}

function rangeText({ minimum, maximum, minLength, maxLength }: Schema): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `from ${minimum}`
  if (maxLength !== undefined) return `${minLength ?? 0} to ${maxLength} characters`
  return maximum === undefined ? undefined : `to ${maximum}`
}

export interface Refusal {
  readonly status: string
  readonly code: string
  readonly text: string
}

/** The codes of an operation. The description of a response has a line for each: ``- `code`: text``. */
export function refusalsOf({ responses }: Operation): readonly Refusal[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description }]) => {
      const lines = [...description.matchAll(/^- `([\w-]+)`: (.*)$/gm)]
      if (lines.length === 0) return [{ status, code: '', text: description }]
      return lines.map(([, code = '', text = '']) => ({ status, code, text }))
    })
}

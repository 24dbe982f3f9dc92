import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import type { SettingsSchema } from './manifest.ts'

export interface SchemaMistake {
  readonly path: readonly string[]
  /** Follows the path in a sentence. */
  readonly message: string
  /** May be secret. Absent if a name is wrong instead of a value. */
  readonly found?: { readonly value: unknown }
}

export interface SettingsValidator {
  /** Fills defaults into `values`. */
  check(values: Record<string, unknown>): SchemaMistake[]
  /** Paths begin with the name. */
  checkOne(name: string, value: unknown): SchemaMistake[]
}

export function createSettingsValidator(schema: SettingsSchema): SettingsValidator {
  const validate = createAjv({ useDefaults: true, validateSchema: false }).compile(schema)
  const properties = createAjv({ validateSchema: false })
  const compiled = new Map<string, ValidateFunction>()
  return {
    check(values) {
      validate(values)
      return explainErrors(validate.errors ?? [])
    },
    checkOne(name, value) {
      const only = { [name]: schema.properties?.[name] ?? {} }
      const validateOne = compiled.get(name) ?? properties.compile({ ...schema, properties: only, required: [] })
      compiled.set(name, validateOne)
      validateOne({ [name]: value })
      return explainErrors(validateOne.errors ?? [])
    },
  }
}

export function createAjv(options: Pick<Options, 'useDefaults' | 'validateSchema'> = {}): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    verbose: true,
    logger: false,
    // To optimize the code of the meta-schema takes longer than to validate manifests and settings.
    code: { optimize: false },
    ...options,
  })
}

/** For a validator with option `verbose`. */
export function explainErrors(errors: readonly ErrorObject[]): SchemaMistake[] {
  const choices = errors.filter(({ keyword }) => explainedAsWhole.includes(keyword))
  const own = errors.filter(
    (error) => !explainedByParts.includes(error.keyword) && !choices.some((choice) => isWithin(choice, error)),
  )
  const explained = own.map(explain)
  return [...new Map(explained.map((one) => [`${one.path.join('/')} ${one.message}`, one])).values()]
}

/** Their message lists the alternatives. */
const explainedAsWhole = ['anyOf', 'oneOf', 'contains']

const explainedByParts = ['if', 'propertyNames']

function isWithin(choice: ErrorObject, { schemaPath, instancePath }: ErrorObject): boolean {
  // Errors in a referenced schema have its path.
  const isReferred = schemaPath.startsWith('#/$defs/') && !choice.schemaPath.startsWith('#/$defs/')
  return schemaPath.startsWith(`${choice.schemaPath}/`) || (isReferred && instancePath.startsWith(choice.instancePath))
}

function describeSchema(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'anything'
  const rules = schema as Readonly<Record<string, unknown>>
  const { type, enum: values, const: value, $ref, required } = rules
  if (Array.isArray(values)) return values.map(json).join(' or ')
  if (value !== undefined) return json(value)
  if (typeof $ref === 'string') return `the definition ${json($ref.split('/').at(-1))}`
  if (type === undefined && !required) return 'something else'
  return `${describeTypes(type ?? 'object')}${describeBounds(rules)}`
}

function describeBounds({ minimum, pattern, required }: Readonly<Record<string, unknown>>): string {
  if (typeof minimum === 'number') return ` of ${minimum} or more`
  if (typeof pattern === 'string') return ` that matches ${pattern}`
  return Array.isArray(required) ? ` with ${required.map(json).join(' and ')}` : ''
}

function explain(error: ErrorObject): SchemaMistake {
  const { instancePath, keyword, params, message, schema, propertyName, data } = error
  const path = instancePath.split('/').slice(1).map(unescapePointer)
  if (keyword === 'required') return { path: [...path, params.missingProperty], message: 'is missing' }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name: string = params.additionalProperty ?? params.unevaluatedProperty
    return { path: [...path, name], message: path.length === 0 ? 'is not a setting' : 'is unknown here' }
  }
  const reason = explanations[keyword]?.(params, schema) ?? message ?? `violates "${keyword}"`
  if (propertyName === undefined) return { path, message: reason, found: { value: data } }
  return { path: [...path, propertyName], message: `has a name that is not allowed: it ${reason}` }
}

const explanations: Readonly<Record<string, (params: ErrorObject['params'], schema: unknown) => string>> = {
  type: ({ type }) => `must be ${describeTypes(type)}`,
  enum: ({ allowedValues }) => `must be one of ${allowedValues.map(json).join(', ')}`,
  const: ({ allowedValue }) => `must be ${json(allowedValue)}`,
  anyOf: (_, schema) => `must be ${alternatives(schema)}`,
  oneOf: (_, schema) => `must be one, and only one, of ${alternatives(schema)}`,
  not: (_, schema) => `must not be ${describeSchema(schema)}`,
  contains: (_, schema) => `must hold ${describeSchema(schema)}`,
  dependentRequired: ({ property, missingProperty }) =>
    `must have ${json(missingProperty)} if it has ${json(property)}`,
  pattern: ({ pattern }) => `must match the pattern ${pattern}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have ${limit} characters or more`),
  maxLength: ({ limit }) => `must have ${limit} characters or fewer`,
  minItems: ({ limit }) => `must be a list of ${limit} or more`,
  maxItems: ({ limit }) => `must be a list of ${limit} or fewer`,
  minProperties: ({ limit }) => `must be a map of ${limit} or more`,
  maxProperties: ({ limit }) => `must be a map of ${limit} or fewer`,
  uniqueItems: () => 'must not contain a value twice',
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
}

function alternatives(schema: unknown): string {
  return [...new Set((schema as readonly unknown[]).map(describeSchema))].join(' or ')
}

function describeTypes(type: unknown): string {
  const types = Array.isArray(type) ? type : String(type).split(',')
  return types.map((one: string) => typeNames[one] ?? one).join(' or ')
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'null',
}

function json(value: unknown): string {
  return JSON.stringify(value)
}

/** RFC 6901, section 4. */
function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

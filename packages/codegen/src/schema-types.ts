import type { JsonSchema } from '@headrace/catalog'

/**
 * The type `Value` of a JSON Schema, and one for each of its definitions. Keywords that TypeScript cannot express are left
 * out, and what is not understood is `unknown`.
 */
export function generateSchemaTypes(schema: JsonSchema): string {
  const names = nameDefinitions(schema)
  const context = { names }
  const definitions = [...names].map(([reference, name]) => declaration(name, definitionAt(schema, reference), context))
  return [declaration('Value', schema, context), ...definitions].join('\n')
}

interface SchemaContext {
  /** `$ref` → name of a type. */
  readonly names: ReadonlyMap<string, string>
}

/** Draft 2020-12 and the earlier ones. */
const places = ['$defs', 'definitions'] as const
const lineBreaks = /[\r\n\u2028\u2029]+/g

function nameDefinitions(schema: JsonSchema): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(['Value', 'ValueRecord'])
  for (const place of places)
    for (const key of Object.keys(objectOf(schema[place]))) {
      let name = key.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d|$)/, '_')
      while (taken.has(name)) name += '_'
      taken.add(name)
      names.set(`#/${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, name)
    }
  return names
}

function definitionAt(schema: JsonSchema, reference: string): unknown {
  const [, place, key] = reference.split('/') as [string, string, string]
  return objectOf(schema[place])[key.replaceAll('~1', '/').replaceAll('~0', '~')]
}

function declaration(name: string, schema: unknown, context: SchemaContext): string {
  return `${docOf(schema, '')}export type ${name} = ${typeOf(schema, context, '')}\n`
}

function docOf(schema: unknown, indent: string): string {
  const { description } = objectOf(schema)
  if (typeof description !== 'string' || description.trim() === '') return ''
  return `${indent}/** ${description.trim().replaceAll(lineBreaks, ' ').replaceAll('*/', '*\\/')} */\n`
}

const plainTypes: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

function typeOf(schema: unknown, context: SchemaContext, indent: string): string {
  if (typeof schema !== 'object' || schema === null) return schema === false ? 'never' : 'unknown'
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema as Readonly<Record<string, unknown>>
  if (typeof $ref === 'string') return $ref === '#' ? 'Value' : (context.names.get($ref) ?? 'unknown')
  if (constant !== undefined) return literal(constant)
  if (Array.isArray(values)) return join(values.map(literal), ' | ')
  const choices = anyOf ?? oneOf
  const each = (one: unknown) => typeOf(one, context, indent)
  if (Array.isArray(choices)) return join(choices.map(each), ' | ')
  if (Array.isArray(allOf)) return join(allOf.map(each), ' & ')
  if (Array.isArray(type))
    return join(
      type.map((one) => typeOf({ ...schema, type: one }, context, indent)),
      ' | ',
    )
  if (type === 'array') return arrayOf(schema, context, indent)
  if (type === 'object' || (type === undefined && 'properties' in schema)) return objectType(schema, context, indent)
  return plainTypes[String(type)] ?? 'unknown'
}

function arrayOf(schema: object, context: SchemaContext, indent: string): string {
  const item = typeOf((schema as Readonly<Record<string, unknown>>).items, context, indent)
  return /[ |&]/.test(item) ? `(${item})[]` : `${item}[]`
}

function objectType(schema: object, context: SchemaContext, indent: string): string {
  const { properties, required, additionalProperties } = schema as Readonly<Record<string, unknown>>
  const entries = Object.entries(objectOf(properties))
  if (entries.length === 0) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, context, indent) : 'unknown'
    return `Record<string, ${value}>`
  }
  const inner = `${indent}  `
  const always = Array.isArray(required) ? required : []
  const members = entries.map(([name, property]) => {
    const shown = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    const optional = always.includes(name) ? '' : '?'
    return `${docOf(property, inner)}${inner}${shown}${optional}: ${typeOf(property, context, inner)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value)
}

function join(types: readonly string[], operator: string): string {
  const different = [...new Set(types)]
  return different.length === 0 ? 'never' : different.join(operator)
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

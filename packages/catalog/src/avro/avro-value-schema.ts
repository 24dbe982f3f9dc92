import { type JsonSchema, jsonSchemaDialect, scalarSchemaOf } from '../record-json/value-schema.ts'
import type { BytesForm } from '../schema/scalar-forms.ts'
import { type AvroLogical, type AvroType, isNamed } from './avro-schema.ts'

/** JSON Schema of rendered values, with docs as `description`. */
export function createAvroValueSchema(type: AvroType, bytes: BytesForm): JsonSchema {
  const definitions: Record<string, JsonSchema> = {}
  const root = schemaOf(type, { bytes, definitions })
  return { $schema: jsonSchemaDialect, ...root, $defs: definitions }
}

interface SchemaContext {
  readonly bytes: BytesForm
  readonly definitions: Record<string, JsonSchema>
}

function schemaOf(type: AvroType, context: SchemaContext): JsonSchema {
  if (isNamed(type)) return defined(type, context)
  if (type.kind === 'array') return { type: 'array', items: schemaOf(type.items, context) }
  if (type.kind === 'map') return { type: 'object', additionalProperties: schemaOf(type.values, context) }
  if (type.kind === 'union') return { anyOf: type.branches.map((branch) => schemaOf(branch, context)) }
  return logicalSchema(type.logical) ?? primitives(context.bytes)[type.kind]
}

/** Made once, because records may be recursive. */
function defined(type: Extract<AvroType, { name: string }>, context: SchemaContext): JsonSchema {
  const { definitions } = context
  if (!Object.hasOwn(definitions, type.name)) {
    definitions[type.name] = {}
    const description = type.doc === undefined ? {} : { description: type.doc }
    definitions[type.name] = { ...description, ...definition(type, context) }
  }
  return { $ref: `#/$defs/${type.name}` }
}

function definition(type: Extract<AvroType, { name: string }>, context: SchemaContext): JsonSchema {
  if (type.kind === 'enum') return { enum: type.symbols }
  if (type.kind === 'fixed') return logicalSchema(type.logical, true) ?? primitives(context.bytes).bytes
  const properties = type.fields.map(({ name, type: inner, doc }) => {
    const schema = schemaOf(inner, context)
    return [name, doc === undefined ? schema : { ...schema, description: doc }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: type.fields.map(({ name }) => name),
  }
}

function primitives(bytes: BytesForm) {
  return {
    null: { type: 'null' },
    boolean: scalarSchemaOf('bool', bytes),
    int: scalarSchemaOf('int32', bytes),
    long: scalarSchemaOf('int64', bytes),
    float: scalarSchemaOf('float', bytes),
    double: scalarSchemaOf('float', bytes),
    bytes: scalarSchemaOf('bytes', bytes),
    string: scalarSchemaOf('string', bytes),
  } as const
}

function logicalSchema(logical: AvroLogical | undefined, isFixed = false): JsonSchema | undefined {
  switch (logical?.name) {
    case 'decimal':
      return { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' }
    case 'uuid':
      return isFixed ? { type: 'string', format: 'uuid' } : { type: 'string' }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'time-millis':
    case 'time-micros':
      return { type: 'string', pattern: '^\\d\\d:\\d\\d:\\d\\d\\.\\d{3,6}$' }
    case 'timestamp':
      return logical.isLocal ? { type: 'string' } : { type: 'string', format: 'date-time' }
    case 'duration': {
      const properties = Object.fromEntries(
        ['months', 'days', 'milliseconds'].map((name) => [name, { type: 'integer' }]),
      )
      return { type: 'object', properties }
    }
    case undefined:
      return undefined
  }
}

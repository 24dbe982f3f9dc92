import type { DescEnum, DescField, DescMessage, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { type BytesForm, type ScalarForm, scalarForms } from '../schema/scalar-forms.ts'
import { commentOf } from '../schema/source-comments.ts'
import { type MessageForm, messageForm } from './message-form.ts'

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export const jsonSchemaDialect = 'https://json-schema.org/draft/2020-12/schema'

/**
 * JSON Schema (draft 2020-12) of rendered messages, with comments as `description`. Later versions of the message may have
 * additional members.
 */
export function createValueSchema(message: DescMessage, bytes: BytesForm): JsonSchema {
  const definitions: Record<string, JsonSchema> = {}
  const root = messageSchema(message, { bytes, definitions })
  return { $schema: jsonSchemaDialect, ...root, $defs: definitions }
}

interface SchemaContext {
  readonly bytes: BytesForm
  /** Of messages and enums, by full name. */
  readonly definitions: Record<string, JsonSchema>
}

function messageSchema(message: DescMessage, context: SchemaContext): JsonSchema {
  const form = messageForm(message)
  if (form === 'fields') return defined(message.typeName, context, () => fieldsSchema(message, context))
  return form === 'wrapper' ? scalarSchema(message.fields[0]!.scalar!, context.bytes) : wellKnownSchemas[form]
}

const wellKnownSchemas: Readonly<Record<Exclude<MessageForm, 'fields' | 'wrapper'>, JsonSchema>> = {
  timestamp: {
    type: 'string',
    format: 'date-time',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3,9})?Z$',
  },
  duration: { type: 'string', pattern: '^-?\\d{1,12}(\\.\\d{3,9})?s$' },
  'field-mask': { type: 'string' },
  any: { type: 'object', properties: { '@type': { type: 'string' } } },
  struct: { type: 'object' },
  value: {},
  'list-value': { type: 'array' },
}

function fieldsSchema(message: DescMessage, context: SchemaContext): JsonSchema {
  const isAlwaysThere = (field: DescField) => field.presence === FeatureSet_FieldPresence.IMPLICIT
  const properties = message.fields.map((field) => [
    field.name,
    { ...fieldSchema(field, context), ...described(commentOf(field)) },
  ])
  return {
    type: 'object',
    ...described(commentOf(message)),
    properties: Object.fromEntries(properties),
    required: message.fields.filter(isAlwaysThere).map(({ name }) => name),
  }
}

function described(description: string | undefined): JsonSchema {
  return description === undefined ? {} : { description }
}

function fieldSchema(field: DescField, context: SchemaContext): JsonSchema {
  const value = singleSchema(field, context)
  if (field.fieldKind === 'list') return { type: 'array', items: value }
  if (field.fieldKind !== 'map') return value
  return { type: 'object', propertyNames: mapKeySchema(field.mapKey), additionalProperties: value }
}

function singleSchema(field: DescField, context: SchemaContext): JsonSchema {
  if (field.scalar !== undefined) return scalarSchema(field.scalar, context.bytes)
  if (field.enum) return enumSchema(field.enum, context)
  return messageSchema(field.message!, context)
}

function enumSchema(type: DescEnum, context: SchemaContext): JsonSchema {
  if (type.typeName === 'google.protobuf.NullValue') return { type: 'null' }
  return defined(type.typeName, context, () => {
    // Of several names the first is used. A number without a name is rendered as a number.
    const names = new Map(type.values.toReversed().map(({ number, name }) => [number, name]))
    return { anyOf: [{ enum: [...names.values()].reverse() }, schemas.int32], ...described(enumDescription(type)) }
  })
}

/** Comments of values do not change the form of the schema: `enum` has no place for them. */
function enumDescription(type: DescEnum): string | undefined {
  const values = type.values.flatMap((value) => {
    const comment = commentOf(value)
    return comment === undefined ? [] : [`${value.name}: ${comment}`]
  })
  return [commentOf(type), values.join('\n')].filter(Boolean).join('\n\n') || undefined
}

/** Made once, because messages may be recursive. */
function defined(name: string, { definitions }: SchemaContext, make: () => JsonSchema): JsonSchema {
  if (!Object.hasOwn(definitions, name)) {
    definitions[name] = {}
    definitions[name] = make()
  }
  return { $ref: `#/$defs/${name}` }
}

function scalarSchema(scalar: ScalarType, bytes: BytesForm): JsonSchema {
  return scalarSchemaOf(scalarForms[scalar].json, bytes)
}

export function scalarSchemaOf(json: ScalarForm['json'], bytes: BytesForm): JsonSchema {
  return json === 'bytes' && bytes === 'hex' ? { type: 'string', pattern: '^0x([0-9a-f]{2})*$' } : schemas[json]
}

function mapKeySchema(key: ScalarType): JsonSchema {
  const { json } = scalarForms[key]
  if (json === 'string') return { type: 'string' }
  if (json === 'bool') return { enum: ['true', 'false'] }
  return { pattern: json.startsWith('u') ? unsignedPattern : signedPattern }
}

const unsignedPattern = '^(0|[1-9]\\d{0,19})$'
const signedPattern = '^(0|-?[1-9]\\d{0,18})$'
const schemas: Readonly<Record<ScalarForm['json'], JsonSchema>> = {
  float: { anyOf: [{ type: 'number' }, { enum: ['NaN', 'Infinity', '-Infinity'] }] },
  int32: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  uint32: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
  int64: { type: 'string', pattern: signedPattern },
  uint64: { type: 'string', pattern: unsignedPattern },
  bool: { type: 'boolean' },
  string: { type: 'string' },
  bytes: {
    type: 'string',
    contentEncoding: 'base64',
    pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  },
}

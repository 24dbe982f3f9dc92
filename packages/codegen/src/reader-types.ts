import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { commentOf, createTopicFormat, messageForm, schemaFromDescriptors, type TopicContent } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import { generatedMark } from './generated-folder.ts'
import { reservedInReaderTypes } from './reserved-names.ts'
import { generateSchemaTypes } from './schema-types.ts'

/**
 * The types describe the JSON that readers get: 64-bit integers, times and bytes are strings. They have the comments of
 * the schema. Throws `invalid_schema` if the registered descriptors do not hold the message.
 */
export function generateReaderTypes(content: TopicContent): string {
  const { topic, descriptors } = content
  if (!descriptors) {
    const value = generateSchemaTypes(createTopicFormat(content).describe().jsonSchema)
    return [`${generatedMark}connector types. DO NOT EDIT.\n`, recordInterface(topic, 'Value'), value].join('\n')
  }
  const message = schemaFromDescriptors(descriptors).message(content.message!)
  if (!message)
    throw new UserError(
      'invalid_schema',
      `The schema registered for "${topic}" has no message "${content.message}". Register it again.`,
    )
  const names = nameTypes(message)
  const declarations = [...names].map(([type, name]) =>
    type.kind === 'enum'
      ? `${docOf(type, '')}export type ${name} = ${enumNames(type)}\n`
      : interfaceOf(type, name, names),
  )
  const record = recordInterface(topic, names.get(message)!)
  return [`${generatedMark}connector types. DO NOT EDIT.\n`, record, ...declarations].join('\n')
}

function recordInterface(topic: string, value: string): string {
  return `/** A record of ${topic}. */
export interface ${recordName(value)} {
  topic: string
  partition: number
  /** Number of the record in its partition, from 0 without holes; null where no connector of Headrace wrote it. */
  seq: string | null
  /** Number of the unit that it belongs to. */
  unit: string | null
  offset: string
  /** RFC 3339 */
  time: string
  key: string | null
  op: 'append' | 'revert'
  /** On a revert: the seq of the reverted record. */
  reverts?: string
  value: ${value} | null
  /** Why there is no value. */
  error?: { code: 'decode_failed' | 'produce_failed'; message?: string }
  /** Bytes that are no message, as base64. */
  raw?: string
  cursor: string
}
`
}

/** An enum number that the schema does not name is rendered as a number. */
function enumNames({ values }: { readonly values: readonly { readonly name: string }[] }): string {
  return [...values.map(({ name }) => `'${name}'`), 'number'].join(' | ')
}

function interfaceOf(message: DescMessage, name: string, names: TypeNames): string {
  const fields = message.fields.map(
    (field) => `${docOf(field, '  ')}  ${field.name}${isAbsentable(field) ? '?' : ''}: ${fieldType(field, names)}\n`,
  )
  return `${docOf(message, '')}export interface ${name} {\n${fields.join('')}}\n`
}

function docOf(declaration: DescMessage | DescEnum | DescField, indent: string): string {
  const lines = commentOf(declaration)?.replaceAll('*/', '*\\/').split('\n')
  if (!lines) return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return [`/**`, ...lines.map((line) => ` *${line && ` ${line}`}`), ' */'].map((line) => `${indent}${line}\n`).join('')
}

/** Fields with presence are omitted where they are not set. All others are always rendered. */
function isAbsentable({ oneof, fieldKind, proto }: DescMessage['fields'][number]): boolean {
  return oneof !== undefined || fieldKind === 'message' || proto.proto3Optional
}

function fieldType(field: DescField, names: TypeNames): string {
  const value = valueType(field, names)
  if (field.fieldKind === 'map') return `Record<string, ${value}>`
  if (field.fieldKind !== 'list') return value
  return value.includes(' ') ? `(${value})[]` : `${value}[]`
}

function valueType(field: DescField, names: TypeNames): string {
  if (field.scalar !== undefined) return scalarType(field.scalar)
  if (field.enum) return isNullValue(field.enum) ? 'null' : names.get(field.enum)!
  return messageType(field.message!, names)
}

function scalarType(scalar: ScalarType): string {
  if (scalar === ScalarType.BOOL) return 'boolean'
  if (scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT) return "number | 'NaN' | 'Infinity' | '-Infinity'"
  return ScalarType[scalar].endsWith('32') ? 'number' : 'string'
}

function messageType(message: DescMessage, names: TypeNames): string {
  const form = messageForm(message)
  if (form === 'fields') return names.get(message)!
  return form === 'wrapper' ? scalarType(message.fields[0]!.scalar!) : formTypes[form]
}

const formTypes = {
  timestamp: 'string',
  duration: 'string',
  'field-mask': 'string',
  any: 'Record<string, unknown>',
  struct: 'Record<string, unknown>',
  value: 'unknown',
  'list-value': 'unknown[]',
} as const

function isNullValue({ typeName }: { readonly typeName: string }): boolean {
  return typeName === 'google.protobuf.NullValue'
}

type TypeNames = ReadonlyMap<DescMessage | DescEnum, string>

/**
 * `Order_Line` for a nested message, with the package where two would have the same name, and `_` after a reserved
 * name.
 */
function nameTypes(message: DescMessage): TypeNames {
  const types = [...typesOf(message, new Set())]
  const byShortName = Map.groupBy(types, shortName)
  const taken = new Set(reservedInReaderTypes)
  return new Map(
    types.map((type, index) => {
      const short = shortName(type)
      let name = byShortName.get(short)!.length === 1 ? short : type.typeName.replaceAll('.', '_')
      while (taken.has(name)) name += '_'
      taken.add(name)
      if (index === 0) taken.add(recordName(name))
      return [type, name]
    }),
  )
}

function recordName(message: string): string {
  return `${message}Record`
}

function typesOf(message: DescMessage, found: Set<DescMessage | DescEnum>): Set<DescMessage | DescEnum> {
  if (found.has(message) || messageForm(message) !== 'fields') return found
  found.add(message)
  for (const field of message.fields) {
    if (field.enum && !isNullValue(field.enum)) found.add(field.enum)
    if (field.message) typesOf(field.message, found)
  }
  return found
}

function shortName({ typeName, file }: DescMessage | DescEnum): string {
  const prefix = file.proto.package
  return (prefix ? typeName.slice(prefix.length + 1) : typeName).replaceAll('.', '_')
}

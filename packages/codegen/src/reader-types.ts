import type { DescMessage } from '@bufbuild/protobuf'
import { schemaFromDescriptors, type TopicRegistration } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import { generatedMark } from './generated-file.ts'
import { fieldType } from './reader-field-type.ts'
import { nameTypes, recordName, type TypeNames } from './reader-type-names.ts'

/**
 * Generates the TypeScript types of a topic's records as readers get them, over REST, WebSocket, SSE or `connector read
 * --json`. They describe the JSON, not the encoded messages: 64-bit integers, times and bytes are strings.
 *
 * @throws {UserError} `invalid_schema`: the registration's descriptors do not hold its message.
 */
export function generateReaderTypes(registration: TopicRegistration): string {
  const message = schemaFromDescriptors(registration.descriptors).message(registration.message)
  if (!message)
    throw new UserError(
      'invalid_schema',
      `The schema registered for "${registration.topic}" has no message "${registration.message}". Register it anew.`,
    )
  const names = nameTypes(message)
  const declarations = [...names].map(([type, name]) =>
    type.kind === 'enum' ? `export type ${name} = ${enumNames(type)}\n` : interfaceOf(type, name, names),
  )
  const record = recordInterface(registration.topic, names.get(message)!)
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
  error?: { code: 'decode_failed' | 'produce_failed' }
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
    (field) => `  ${field.name}${isAbsentable(field) ? '?' : ''}: ${fieldType(field, names)}\n`,
  )
  return `export interface ${name} {\n${fields.join('')}}\n`
}

/** Fields with presence are omitted where they are not set. All others are always rendered. */
function isAbsentable({ oneof, fieldKind, proto }: DescMessage['fields'][number]): boolean {
  return oneof !== undefined || fieldKind === 'message' || proto.proto3Optional
}

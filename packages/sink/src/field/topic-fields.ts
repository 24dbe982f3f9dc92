import { type DescField, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { messageForm, schemaFromDescriptors } from '@headrace/catalog'
import type { Topic } from '@headrace/client'
import { UserError } from '@headrace/queue'

/** A field of a message, with the form of its values in the JSON of the API. */
export interface TopicField {
  /** As in the .proto file. */
  readonly name: string
  /** Its number there, which never changes. */
  readonly number: number
  readonly type: FieldType
  /** The value in records that were published before the field existed: the default of proto3. Absent: `null`. */
  readonly absent?: unknown
}

/**
 * `int64` and `uint64` are strings of digits. `float` and `double` are numbers, or `NaN`, `Infinity` and `-Infinity`.
 * `enum` is the name of a value, or a number without a name. `hex` begins with `0x`. `timestamp` is RFC 3339, and
 * `duration` such as `1.5s`. `json` is anything else: messages, lists and maps.
 */
export type FieldType = ScalarFieldType | 'enum' | 'timestamp' | 'duration' | 'json'

type ScalarFieldType =
  | ('bool' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'float' | 'double')
  | ('string' | 'hex' | 'base64')

/** The fields of the message of a topic, in order of number. `undefined`: the topic has no protobuf schema. */
export function topicFields({ topic, message, descriptors, bytes }: Topic): readonly TopicField[] | undefined {
  if (!descriptors) return undefined
  const type = schemaFromDescriptors(Buffer.from(descriptors, 'base64')).message(message ?? '')
  if (!type) throw new UserError('invalid_schema', `The schema of topic "${topic}" lacks its message "${message}".`)
  return type.fields
    .map((field) => {
      const { name, number } = field
      const type = typeOf(field, bytes)
      return { name, number, type, absent: absentValue(field, type) }
    })
    .sort((one, other) => one.number - other.number)
}

function absentValue(field: DescField, type: FieldType): unknown {
  if (field.fieldKind === 'list') return []
  if (field.fieldKind === 'map') return {}
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) return null
  if (field.fieldKind === 'enum')
    return type === 'json' ? null : field.enum.values.find(({ number }) => number === 0)?.name
  return zeros[type as ScalarFieldType]
}

const zeros: Readonly<Record<ScalarFieldType, unknown>> = {
  ...{ bool: false, int32: 0, uint32: 0, int64: '0', uint64: '0', float: 0, double: 0 },
  ...{ string: '', hex: '0x', base64: '' },
}

function typeOf(field: DescField, bytes: Topic['bytes']): FieldType {
  if (field.fieldKind === 'scalar') return scalarType(field.scalar, bytes)
  if (field.fieldKind === 'enum') return field.enum.typeName === 'google.protobuf.NullValue' ? 'json' : 'enum'
  if (field.fieldKind !== 'message') return 'json'
  const form = messageForm(field.message)
  if (form === 'wrapper') return scalarType(field.message.fields[0]!.scalar!, bytes)
  if (form === 'field-mask') return 'string'
  return form === 'timestamp' || form === 'duration' ? form : 'json'
}

function scalarType(scalar: ScalarType, bytes: Topic['bytes']): ScalarFieldType {
  return scalar === ScalarType.BYTES ? bytes : types[scalar]
}

const types: Readonly<Record<Exclude<ScalarType, ScalarType.BYTES>, ScalarFieldType>> = {
  [ScalarType.DOUBLE]: 'double',
  [ScalarType.FLOAT]: 'float',
  [ScalarType.INT64]: 'int64',
  [ScalarType.UINT64]: 'uint64',
  [ScalarType.INT32]: 'int32',
  [ScalarType.FIXED64]: 'uint64',
  [ScalarType.FIXED32]: 'uint32',
  [ScalarType.BOOL]: 'bool',
  [ScalarType.STRING]: 'string',
  [ScalarType.UINT32]: 'uint32',
  [ScalarType.SFIXED32]: 'int32',
  [ScalarType.SFIXED64]: 'int64',
  [ScalarType.SINT32]: 'int32',
  [ScalarType.SINT64]: 'int64',
}

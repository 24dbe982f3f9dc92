import type { DescMessage } from '@bufbuild/protobuf'
import {
  AnySchema,
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  DurationSchema,
  FieldMaskSchema,
  FloatValueSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  ListValueSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
  ValueSchema,
} from '@bufbuild/protobuf/wkt'

/** JSON form of a message: `fields` is an object of its fields, the others are those of ProtoJSON. */
export type MessageForm =
  | 'fields'
  | 'any'
  | 'timestamp'
  | 'duration'
  | 'field-mask'
  | 'struct'
  | 'value'
  | 'list-value'
  | 'wrapper'

/** A message that only has the name of a well-known type is not one. */
export function messageForm(message: DescMessage): MessageForm {
  const wellKnown = wellKnownForms.find(([schema]) => schema.typeName === message.typeName)
  if (!wellKnown) return 'fields'
  const [schema, form] = wellKnown
  return shapeOf(schema) === shapeOf(message) ? form : 'fields'
}

function shapeOf(message: DescMessage): string {
  return message.fields
    .map(
      (field) =>
        `${field.number} ${field.fieldKind} ${field.scalar ?? field.message?.typeName ?? field.enum?.typeName}`,
    )
    .join()
}

const wellKnownForms: readonly (readonly [DescMessage, MessageForm])[] = [
  [AnySchema, 'any'],
  [TimestampSchema, 'timestamp'],
  [DurationSchema, 'duration'],
  [FieldMaskSchema, 'field-mask'],
  [StructSchema, 'struct'],
  [ValueSchema, 'value'],
  [ListValueSchema, 'list-value'],
  [DoubleValueSchema, 'wrapper'],
  [FloatValueSchema, 'wrapper'],
  [Int64ValueSchema, 'wrapper'],
  [UInt64ValueSchema, 'wrapper'],
  [Int32ValueSchema, 'wrapper'],
  [UInt32ValueSchema, 'wrapper'],
  [BoolValueSchema, 'wrapper'],
  [StringValueSchema, 'wrapper'],
  [BytesValueSchema, 'wrapper'],
]

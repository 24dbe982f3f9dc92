import type { DescMessage } from '@bufbuild/protobuf'
import { wellKnownFiles } from '../schema/well-known-files.ts'

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
  const known = wellKnown.get(message.typeName)
  if (!known || shapeOf(known) !== shapeOf(message)) return 'fields'
  return known.file.name === 'google/protobuf/wrappers' ? 'wrapper' : (forms[known.name] ?? 'fields')
}

function shapeOf(message: DescMessage): string {
  return message.fields
    .map(
      (field) =>
        `${field.number} ${field.fieldKind} ${field.scalar ?? field.message?.typeName ?? field.enum?.typeName}`,
    )
    .join()
}

const wellKnown: ReadonlyMap<string, DescMessage> = new Map(
  [...wellKnownFiles.values()].flatMap((file) => file.messages).map((message) => [message.typeName, message]),
)
const forms: Readonly<Record<string, MessageForm>> = {
  Any: 'any',
  Timestamp: 'timestamp',
  Duration: 'duration',
  FieldMask: 'field-mask',
  Struct: 'struct',
  Value: 'value',
  ListValue: 'list-value',
}

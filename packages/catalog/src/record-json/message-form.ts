import type { DescMessage } from '@bufbuild/protobuf'
import { wellKnownFiles } from '../schema/well-known-files.ts'

/** `fields` is an object of the fields, the others are forms of ProtoJSON. */
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

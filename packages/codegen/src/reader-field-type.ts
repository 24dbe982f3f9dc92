import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { messageForm } from '@headrace/catalog'
import type { TypeNames } from './reader-type-names.ts'

/** The TypeScript type of a field in ProtoJSON. */
export function fieldType(field: DescField, names: TypeNames): string {
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
  switch (scalar) {
    case ScalarType.BOOL:
      return 'boolean'
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return "number | 'NaN' | 'Infinity' | '-Infinity'"
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return 'number'
    default:
      return 'string'
  }
}

function messageType(message: DescMessage, names: TypeNames): string {
  switch (messageForm(message)) {
    case 'timestamp':
    case 'duration':
    case 'field-mask':
      return 'string'
    case 'any':
    case 'struct':
      return 'Record<string, unknown>'
    case 'value':
      return 'unknown'
    case 'list-value':
      return 'unknown[]'
    case 'wrapper':
      return scalarType(message.fields[0]!.scalar!)
    default:
      return names.get(message)!
  }
}

function isNullValue({ typeName }: { readonly typeName: string }): boolean {
  return typeName === 'google.protobuf.NullValue'
}

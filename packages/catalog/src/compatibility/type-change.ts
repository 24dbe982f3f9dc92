import { type DescField, ScalarType } from '@bufbuild/protobuf'

/** The types of a field as in a .proto file, with their kind if only this differs. */
export function typesOf(before: DescField, after: DescField): readonly [before: string, after: string] {
  const types = [typeOf(before), typeOf(after)] as const
  if (types[0] !== types[1] || kindOf(before) === kindOf(after)) return types
  return [typeOf(before, `${kindOf(before)} `), typeOf(after, `${kindOf(after)} `)]
}

/**
 * Which readers a change of type breaks, and how; `undefined` for the same type. Every change breaks some reader: the
 * same bytes are another value, or have another form in JSON.
 */
export function typeChange(before: DescField, after: DescField): string | undefined {
  if (typeOf(before) === typeOf(after) && kindOf(before) === kindOf(after)) return undefined
  const old = formOf(before)
  const now = formOf(after)
  const json =
    old.json === now.json
      ? 'Readers of JSON would get other values'
      : `Readers of JSON would get ${now.json} instead of ${old.json}`
  const wire =
    old.wire === now.wire
      ? 'readers with generated code, and stored records, would read other values from the same bytes'
      : 'stored records would lose the field, and readers with generated code would not find it in new ones'
  return `${json}; ${wire}.`
}

function typeOf(field: DescField, kind = ''): string {
  const value = `${kind}${field.message?.typeName ?? field.enum?.typeName ?? scalarName(field.scalar!)}`
  return field.fieldKind === 'map' ? `map<${scalarName(field.mapKey)}, ${value}>` : value
}

/** A type name can be a message in one version and an enum in another. */
function kindOf({ message, enum: values }: DescField): 'message' | 'enum' | 'scalar' {
  if (message) return 'message'
  return values ? 'enum' : 'scalar'
}

interface ValueForm {
  readonly json: string
  readonly wire: 'varint' | '4 bytes' | '8 bytes' | 'length and bytes'
}

function formOf(field: DescField): ValueForm {
  if (field.fieldKind === 'map') return { json: 'an object by key', wire: 'length and bytes' }
  if (field.message) return { json: `the message ${field.message.name}`, wire: 'length and bytes' }
  if (field.enum) return { json: `a name of ${field.enum.name}`, wire: 'varint' }
  return scalarForm(field.scalar!)
}

function scalarForm(scalar: ScalarType): ValueForm {
  switch (scalar) {
    case ScalarType.DOUBLE:
      return { json: 'a number', wire: '8 bytes' }
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return { json: 'a number', wire: '4 bytes' }
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.SINT32:
      return { json: 'a number', wire: 'varint' }
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
      return { json: 'a string of digits', wire: 'varint' }
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return { json: 'a string of digits', wire: '8 bytes' }
    case ScalarType.BOOL:
      return { json: 'true or false', wire: 'varint' }
    case ScalarType.STRING:
      return { json: 'a string', wire: 'length and bytes' }
    case ScalarType.BYTES:
      return { json: 'encoded bytes', wire: 'length and bytes' }
  }
}

function scalarName(scalar: ScalarType): string {
  return ScalarType[scalar].toLowerCase()
}

import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf'
import { messageForm } from '@headrace/catalog'
import { reservedInReaderTypes } from './reserved-names.ts'

export type TypeNames = ReadonlyMap<DescMessage | DescEnum, string>

/**
 * `Order_Line` for a nested message, with the package where two would have the same name, and `_` after a reserved
 * name.
 */
export function nameTypes(message: DescMessage): TypeNames {
  const types = [...typesOf(message, new Set())]
  const short = types.map(shortName)
  const taken = new Set(reservedInReaderTypes)
  return new Map(
    types.map((type, index) => {
      let name = isUnique(short, index) ? short[index]! : longName(type)
      while (taken.has(name)) name += '_'
      taken.add(name)
      if (index === 0) taken.add(recordName(name))
      return [type, name]
    }),
  )
}

export function recordName(message: string): string {
  return `${message}Record`
}

function typesOf(message: DescMessage, found: Set<DescMessage | DescEnum>): Set<DescMessage | DescEnum> {
  if (found.has(message) || messageForm(message) !== 'fields') return found
  found.add(message)
  for (const field of message.fields) {
    const type = declaredType(field)
    if (type?.kind === 'enum') found.add(type)
    else if (type) typesOf(type, found)
  }
  return found
}

function declaredType(field: DescField): DescMessage | DescEnum | undefined {
  if (field.enum?.typeName === 'google.protobuf.NullValue') return undefined
  return field.message ?? field.enum
}

function shortName({ typeName, file }: DescMessage | DescEnum): string {
  const prefix = file.proto.package
  return (prefix ? typeName.slice(prefix.length + 1) : typeName).replaceAll('.', '_')
}

function longName({ typeName }: DescMessage | DescEnum): string {
  return typeName.replaceAll('.', '_')
}

function isUnique(names: readonly string[], index: number): boolean {
  return names.indexOf(names[index]!) === names.lastIndexOf(names[index]!)
}

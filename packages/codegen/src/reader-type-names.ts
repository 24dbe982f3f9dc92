import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf'
import { messageForm } from '@headrace/catalog'
import { takenInReaderTypes } from './taken-names.ts'

/** The TypeScript name of each type. */
export type TypeNames = ReadonlyMap<DescMessage | DescEnum, string>

/**
 * Names a message and all that its fields are made of, in this order: `Order_Line` for a message within another, and with
 * the package where two would have one name. One that TypeScript, or the type of a record, has already ends in `_`.
 */
export function nameTypes(message: DescMessage): TypeNames {
  const types = [...typesOf(message, new Set())]
  const short = types.map(shortName)
  const taken = new Set(takenInReaderTypes)
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

/** The name of the type of a topic's records, by that of its messages. */
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

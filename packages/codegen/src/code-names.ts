import type { DescriptorProto, EnumDescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt'
import { reservedInCodecs, reservedInEnums } from './reserved-names.ts'

/** Full name in the .proto files → name in the generated code. */
export type CodeNames = ReadonlyMap<string, string>

/**
 * Renames types whose names TypeScript or the generated code uses (`DateMessage`), types that would get the same name
 * (`Order_Line` and `Line` within `Order`), and reserved enum values. Changes the descriptors in place.
 */
export function chooseCodeNames(files: readonly FileDescriptorProto[]): CodeNames {
  const codeNames = new Map<string, string>()
  const renamed = new Map<string, string>()
  const fullNames = new Set(files.flatMap((file) => [...typesIn(file)].map(({ name }) => name)))
  for (const file of files) {
    const taken = new Set(reservedInCodecs)
    nameTypes(topOf(file), (type, kind, { before, after, prefix }) => {
      const isFree = (name: string): boolean =>
        !taken.has(prefix + name) && (name === type.name || !fullNames.has(after + name))
      const name = freeName(type.name, kind, isFree)
      taken.add(prefix + name)
      fullNames.add(after + name)
      codeNames.set(before + type.name, prefix + name)
      if (before + type.name !== after + name) renamed.set(`.${before}${type.name}`, `.${after}${name}`)
      type.name = name
      if ('value' in type) renameValues(type)
    })
  }
  for (const file of files)
    for (const { type } of typesIn(file))
      for (const field of 'field' in type ? type.field : [])
        field.typeName = renamed.get(field.typeName) ?? field.typeName
  return codeNames
}

/**
 * Sibling types. `before` and `after` are the full name of their scope in the .proto files and renamed; `prefix` is for
 * code.
 */
interface Scope {
  readonly messages: readonly DescriptorProto[]
  readonly enums: readonly EnumDescriptorProto[]
  readonly before: string
  readonly after: string
  readonly prefix: string
}

function topOf({ messageType, enumType, package: name }: FileDescriptorProto): Scope {
  const scope = name === '' ? '' : `${name}.`
  return { messages: messageType, enums: enumType, before: scope, after: scope, prefix: '' }
}

function within({ before, after, prefix }: Scope, { nestedType, enumType, name }: DescriptorProto, old: string): Scope {
  return {
    ...{ messages: nestedType, enums: enumType },
    ...{ before: `${before}${old}.`, after: `${after}${name}.`, prefix: `${prefix}${name}_` },
  }
}

function nameTypes(
  scope: Scope,
  name: (type: DescriptorProto | EnumDescriptorProto, kind: 'Message' | 'Enum', scope: Scope) => void,
): void {
  for (const type of scope.enums) name(type, 'Enum', scope)
  const before = scope.messages.map((type) => type.name)
  for (const type of scope.messages) name(type, 'Message', scope)
  for (const [index, type] of scope.messages.entries()) nameTypes(within(scope, type, before[index]!), name)
}

function renameValues({ value: values }: EnumDescriptorProto): void {
  const names = new Set(values.map(({ name }) => name))
  for (const value of values)
    if (reservedInEnums.has(value.name)) {
      value.name = freeName(value.name, 'Value', (name) => !reservedInEnums.has(name) && !names.has(name))
      names.add(value.name)
    }
}

function freeName(name: string, kind: string, isFree: (name: string) => boolean): string {
  if (isFree(name)) return name
  let free = `${name}${kind}`
  for (let number = 2; !isFree(free); number++) free = `${name}${kind}${number}`
  return free
}

function* typesIn(file: FileDescriptorProto): Generator<{ name: string; type: DescriptorProto | EnumDescriptorProto }> {
  const scopes = [topOf(file)]
  for (const scope of scopes) {
    for (const type of [...scope.enums, ...scope.messages]) yield { name: `${scope.after}${type.name}`, type }
    scopes.push(...scope.messages.map((type) => within(scope, type, type.name)))
  }
}

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
  const fullNames = new Set(files.flatMap((file) => [...typesOf(file)].map(({ type, after }) => after + type.name)))
  for (const file of files) {
    const taken = new Set(reservedInCodecs)
    for (const { type, before, after, prefix } of typesOf(file)) {
      const isFree = (name: string): boolean =>
        !taken.has(prefix + name) && (name === type.name || !fullNames.has(after + name))
      const name = freeName(type.name, 'value' in type ? 'Enum' : 'Message', isFree)
      taken.add(prefix + name)
      fullNames.add(after + name)
      codeNames.set(before + type.name, prefix + name)
      if (before + type.name !== after + name) renamed.set(`.${before}${type.name}`, `.${after}${name}`)
      type.name = name
      if ('value' in type) renameValues(type)
    }
  }
  for (const file of files)
    for (const { type } of typesOf(file))
      for (const field of 'field' in type ? type.field : [])
        field.typeName = renamed.get(field.typeName) ?? field.typeName
  return codeNames
}

/** The full name of a scope in the .proto files and renamed, and its name in the code, each with a separator. */
interface Scope {
  readonly before: string
  readonly after: string
  readonly prefix: string
}

type NamedType = Scope & { readonly type: DescriptorProto | EnumDescriptorProto }

function typesOf({ package: name, enumType, messageType }: FileDescriptorProto): Generator<NamedType> {
  const scope = name === '' ? '' : `${name}.`
  return typesIn({ before: scope, after: scope, prefix: '' }, enumType, messageType)
}

/** The caller may rename each type: a nested type comes after all types of the scope that it is in. */
function* typesIn(
  scope: Scope,
  enums: readonly EnumDescriptorProto[],
  messages: readonly DescriptorProto[],
): Generator<NamedType> {
  const { before, after, prefix } = scope
  const oldNames = messages.map(({ name }) => name)
  for (const type of [...enums, ...messages]) yield { ...scope, type }
  for (const [index, { name, enumType, nestedType }] of messages.entries()) {
    const inner = { before: `${before}${oldNames[index]}.`, after: `${after}${name}.`, prefix: `${prefix}${name}_` }
    yield* typesIn(inner, enumType, nestedType)
  }
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

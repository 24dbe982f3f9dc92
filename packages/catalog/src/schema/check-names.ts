import protobuf from 'protobufjs'
import type { Problem } from '../problem.ts'
import { createReport } from './check-proto-file.ts'
import { entryName } from './file-descriptor.ts'
import type { ProtoFile } from './proto-files.ts'

interface Named {
  readonly fullName: string
  readonly file: ProtoFile
  /** Values of enums are in the scope around their enum. */
  readonly within: string
  /** The enum of a value, the field of a map entry. */
  readonly of?: protobuf.Enum | protobuf.MapField
}

/** Except those that the parser finds. */
export function checkNames(files: ReadonlyMap<string, ProtoFile>, problems: Problem[]): void {
  const known = new Map<string, Named>()
  const twice = new Set<string>()
  for (const file of files.values())
    for (const named of namesIn(file.namespace, file)) {
      const other = known.get(named.fullName)
      known.set(named.fullName, other ?? named)
      if (other === undefined) continue
      twice.add(named.fullName)
      // Members of a type declared twice are not reported as well.
      if (twice.has(named.within)) continue
      createReport(file, problems)(declared(named), explain(named, other))
    }
}

function* namesIn(namespace: protobuf.NamespaceBase, file: ProtoFile): Generator<Named> {
  const within = namespace.fullName
  for (const nested of namespace.nestedArray) {
    const { fullName } = nested
    if (nested instanceof protobuf.Type || nested instanceof protobuf.Enum) yield { fullName, file, within }
    if (nested instanceof protobuf.Type) yield* namesOfMessage(nested, file)
    if (nested instanceof protobuf.Enum)
      for (const value of Object.keys(nested.values))
        yield { fullName: `${within}.${value}`, file, within: fullName, of: nested }
  }
}

function* namesOfMessage(type: protobuf.Type, file: ProtoFile): Generator<Named> {
  const within = type.fullName
  for (const { fullName } of [...type.fieldsArray, ...type.oneofsArray]) yield { fullName, file, within }
  yield* namesIn(type, file)
  for (const field of type.fieldsArray)
    if (field instanceof protobuf.MapField) yield { fullName: `${within}.${entryName(field)}`, file, within, of: field }
}

function declared({ fullName, of }: Named): Pick<protobuf.ReflectionObject, 'fullName'> {
  if (of === undefined) return { fullName }
  return of instanceof protobuf.Enum ? { fullName: `${of.fullName}.${lastOf(fullName)}` } : of
}

function explain({ fullName, file, of }: Named, other: Named): string {
  const short = lastOf(fullName)
  if (of instanceof protobuf.Enum) {
    const owner = other.of instanceof protobuf.Enum ? ` by the enum ${other.of.name}` : ''
    return (
      `Value ${short} of the enum ${of.name} has a name that is already used${owner}: values of enums are in the scope ` +
      `around their enum. Rename it, for example to ${prefixOf(of)}_${short}.`
    )
  }
  if (of) return `The entries of this map are a message ${short}, whose name is already used. Rename one of them.`
  return other.file === file
    ? `${fullName.slice(1)} is defined twice. Give each a name of its own.`
    : `${fullName.slice(1)} is defined in ${other.file.name} already. Rename one, or give the files their own packages.`
}

function lastOf(fullName: string): string {
  return fullName.slice(fullName.lastIndexOf('.') + 1)
}

function prefixOf({ name }: protobuf.Enum): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()
}

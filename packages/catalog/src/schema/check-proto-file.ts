import { protoCamelCase } from '@bufbuild/protobuf/reflect'
import protobuf from 'protobufjs'
import type { Problem } from '../problem.ts'
import { entryName } from './file-descriptor.ts'
import type { ProtoFile, ProtoFiles } from './proto-files.ts'

/** At a declaration or its type, or the start of the file if there is none. */
type Report = (at: Declared, message: string, what?: 'type') => void

type Declared = Pick<protobuf.ReflectionObject, 'fullName'>

/** Reports mistakes that the parser accepts. */
export function checkProtoFile(file: ProtoFile, report: Report): void {
  const check = (namespace: protobuf.NamespaceBase): void => {
    for (const nested of namespace.nestedArray) {
      if (nested instanceof protobuf.Field) checkExtension(nested, report)
      if (nested instanceof protobuf.Enum) checkEnum(nested, report)
      if (!(nested instanceof protobuf.Type)) continue
      checkMessage(nested, report)
      checkFields(nested, report)
      check(nested)
    }
  }
  check(file.namespace)
  // The parser drops it.
  for (const { scope, name } of file.declarations)
    if (name === '__proto__')
      report(
        { fullName: `.${[file.package, scope, name].filter(Boolean).join('.')}` },
        'The name "__proto__" is not supported: JavaScript objects cannot have such a member. Rename it.',
      )
}

export function createReport(file: ProtoFile, problems: Problem[]): Report {
  return ({ fullName }, message, what) => {
    const path = fullName.slice(1 + (file.package ? file.package.length + 1 : 0))
    const declaration = file.declarations.find(({ scope, name }) => (scope ? `${scope}.${name}` : name) === path)
    const place = (what === 'type' ? declaration?.typePlace : undefined) ?? declaration?.place ?? { line: 1, column: 1 }
    problems.push({ severity: 'error', code: 'proto_invalid', file: file.path, ...place, message })
  }
}

/** Proto3 allows `extend` for options only. */
function checkExtension(field: protobuf.Field, report: Report): void {
  if (/^\.?google\.protobuf\.\w+Options$/.test(field.extend ?? '')) return
  report(
    field,
    `Message ${field.extend} is extended with ${field.name}, which belongs to proto2. Add the field to the message itself.`,
  )
}

function checkEnum(type: protobuf.Enum, report: Report): void {
  const values = Object.entries(type.values)
  const [first] = values
  if (first?.[1] !== 0) {
    const found = first ? `its first value ${first[0]} is ${first[1]}` : 'it has no value'
    report(type, `Enum ${type.name} must begin with the value 0: ${found}. Add one, such as  UNSPECIFIED = 0;`)
  }
  for (const [name, number] of values)
    if (number !== (number | 0))
      report(
        { fullName: `${type.fullName}.${name}` },
        `Value ${name} has the number ${number}. Allowed are -2147483648 to 2147483647.`,
      )
  checkReserved(type, report)
}

function checkMessage(type: protobuf.Type, report: Report): void {
  if ('group' in type && type.group) report(type, 'Groups belong to proto2. Use a message field.')
  if (type.extensions?.length)
    report(type, `Message ${type.name} has "extensions", which belong to proto2. Remove them.`)
  for (const oneof of type.oneofsArray)
    if (oneof.fieldsArray.length === 0) report(oneof, `Oneof ${oneof.name} has no fields. Add one, or remove it.`)
  checkReserved(type, report)
}

function checkReserved(type: protobuf.Type | protobuf.Enum, report: Report): void {
  const names = new Set<string>()
  const ranges: (readonly [number, number])[] = []
  for (const reserved of type.reserved ?? []) {
    if (typeof reserved === 'string') {
      if (names.has(reserved)) report(type, `${type.name} reserves the name "${reserved}" twice. Reserve it once.`)
      names.add(reserved)
      continue
    }
    const [start, end] = reserved as [number, number]
    const other = ranges.find(([from, to]) => from <= end && start <= to)
    if (start > end) report(type, `${type.name} reserves ${start} to ${end}. Write the smaller number first.`)
    else if (other) report(type, `${type.name} reserves ${Math.max(start, other[0])} twice. Reserve each number once.`)
    ranges.push([start, end])
  }
}

function checkFields(type: protobuf.Type, report: Report): void {
  const jsonNames = new Map<string, string>()
  for (const field of type.fieldsArray) {
    if (field.id < 1 || field.id > maxFieldNumber || (field.id >= 19_000 && field.id <= 19_999))
      report(
        field,
        `Field ${field.name} has the number ${field.id}. Allowed are 1 to ${maxFieldNumber} without 19000 to 19999.`,
      )
    if (field.options?.default !== undefined)
      report(
        field,
        `Field ${field.name} has a default, which belongs to proto2. Remove it: what is not set is zero or empty.`,
      )
    if (field.options?.packed === true && (!field.repeated || field.type === 'string' || field.type === 'bytes'))
      report(
        field,
        `Field ${field.name} cannot be packed: only repeated numbers, enums and bools are. Remove the option.`,
      )
    const jsonName = field.options?.json_name ?? protoCamelCase(field.name)
    const other = jsonNames.get(jsonName)
    if (other !== undefined)
      report(field, `Fields ${other} and ${field.name} have the same JSON name "${jsonName}". Rename one of them.`)
    jsonNames.set(jsonName, field.name)
  }
}

const maxFieldNumber = 536_870_911

interface Named {
  readonly fullName: string
  readonly file: ProtoFile
  /** Values of enums are in the scope around their enum. */
  readonly within: string
  /** The enum of a value, the field of a map entry. */
  readonly of?: protobuf.Enum | protobuf.MapField
}

/** Except those that the parser finds. */
export function checkNames(files: ProtoFiles, problems: Problem[]): void {
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
  const fields = namespace instanceof protobuf.Type ? namespace.fieldsArray : []
  const oneofs = namespace instanceof protobuf.Type ? namespace.oneofsArray : []
  for (const { fullName } of [...fields, ...oneofs]) yield { fullName, file, within }
  for (const nested of namespace.nestedArray) {
    const { fullName } = nested
    if (nested instanceof protobuf.Type || nested instanceof protobuf.Enum) yield { fullName, file, within }
    if (nested instanceof protobuf.Type) yield* namesIn(nested, file)
    if (nested instanceof protobuf.Enum)
      for (const value of Object.keys(nested.values))
        yield { fullName: `${within}.${value}`, file, within: fullName, of: nested }
  }
  for (const field of fields)
    if (field instanceof protobuf.MapField) yield { fullName: `${within}.${entryName(field)}`, file, within, of: field }
}

function declared({ fullName, of }: Named): Declared {
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

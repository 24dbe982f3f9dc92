import { protoCamelCase } from '@bufbuild/protobuf/reflect'
import protobuf from 'protobufjs'
import type { Place } from '../source-places.ts'
import type { ProtoFile } from './proto-file.ts'

/**
 * Reports what protobuf forbids and the parser lets pass: numbers out of range, groups, enums that do not begin with 0,
 * and fields whose JSON names clash.
 */
export function checkProtoFile(file: ProtoFile, report: (place: Place, message: string) => void): void {
  const check = (namespace: protobuf.NamespaceBase): void => {
    for (const nested of namespace.nestedArray) {
      if (nested instanceof protobuf.Enum) checkEnum(file, nested, report)
      if (!(nested instanceof protobuf.Type)) continue
      if ('group' in nested && nested.group)
        report(placeOf(file, nested), 'Groups belong to proto2. Use a message field.')
      checkFields(file, nested, report)
      check(nested)
    }
  }
  check(file.namespace)
}

/** Where something is declared; the begin of the file for what has no declaration of its own. */
export function placeOf(file: ProtoFile, object: protobuf.ReflectionObject, what: 'name' | 'type' = 'name'): Place {
  const path = object.fullName.slice(1 + (file.package ? file.package.length + 1 : 0))
  const declaration = file.declarations.find(({ scope, name }) => (scope ? `${scope}.${name}` : name) === path)
  return (what === 'type' ? declaration?.typePlace : undefined) ?? declaration?.place ?? { line: 1, column: 1 }
}

function checkEnum(file: ProtoFile, type: protobuf.Enum, report: (place: Place, message: string) => void): void {
  const first = Object.entries(type.values)[0]
  if (first?.[1] === 0) return
  const found = first ? `its first value ${first[0]} is ${first[1]}` : 'it has no value'
  report(placeOf(file, type), `Enum ${type.name} must begin with the value 0: ${found}.`)
}

function checkFields(file: ProtoFile, type: protobuf.Type, report: (place: Place, message: string) => void): void {
  const jsonNames = new Map<string, string>()
  for (const field of type.fieldsArray) {
    const place = placeOf(file, field)
    if (field.id < 1 || field.id > maxFieldNumber || (field.id >= 19_000 && field.id <= 19_999))
      report(
        place,
        `Field ${field.name} has the number ${field.id}. Allowed are 1 to ${maxFieldNumber} without 19000 to 19999.`,
      )
    const jsonName = field.options?.json_name ?? protoCamelCase(field.name)
    const other = jsonNames.get(jsonName)
    if (other !== undefined)
      report(place, `Fields ${other} and ${field.name} have the same JSON name "${jsonName}". Rename one of them.`)
    jsonNames.set(jsonName, field.name)
  }
}

const maxFieldNumber = 536_870_911

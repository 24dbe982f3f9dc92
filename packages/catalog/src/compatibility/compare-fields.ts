import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { type ScalarForm, scalarForms, scalarName } from '../schema/scalar-forms.ts'
import type { ReportChange } from './incompatibility.ts'

export function compareFields(before: DescMessage, after: DescMessage, report: ReportChange): void {
  const shared = sharedNumbers(before, after)
  for (const old of before.fields) {
    const sameNumber = after.fields.find(({ number }) => number === old.number)
    const sameName = after.fields.find(({ name }) => name === old.name)
    if (sameNumber && sameNumber === sameName) compareField(old, sameNumber, shared, report)
    else if (sameName) reportRenumbered(old, sameName, report)
    else if (sameNumber) reportOtherName(old, sameNumber, report)
    else reportRemoved(old, after, report)
  }
}

function compareField(old: DescField, now: DescField, shared: ReadonlySet<number>, report: ReportChange): void {
  const what = `Field "${now.name}" of ${now.parent.name}`
  const changed = typeChange(old, now)
  const [was, is] = typesOf(old, now)
  if (changed !== undefined)
    report(
      'type_changed',
      nameOf(now),
      `${what} was ${was} and is ${is}. ${changed} Restore the type, and add a new field for the new type.`,
    )
  else if (oneofOf(old, shared) !== oneofOf(now, shared))
    report(
      'oneof_changed',
      nameOf(now),
      `${what} was ${describeOneof(old)} and is ${describeOneof(now)}. At most one member of a oneof is set: readers would ` +
        'see the field as set or unset wrongly, and stored records could lose values. Undo the change, and add a new field.',
    )
  else if (cardinalityOf(old) !== cardinalityOf(now))
    report(
      'cardinality_changed',
      nameOf(now),
      `${what} was ${cardinalityOf(old)} and is ${cardinalityOf(now)}. ${cardinalityChange(old, now)} Undo the change, and ` +
        'add a new field.',
    )
}

function reportRenumbered(old: DescField, now: DescField, report: ReportChange): void {
  report(
    'field_renumbered',
    nameOf(now),
    `Field "${old.name}" of ${now.parent.name} had the number ${old.number} and has ${now.number}. Readers of JSON would ` +
      'find no value in stored records, and readers with generated code none in new records. Restore the number ' +
      `${old.number}.`,
  )
}

function reportOtherName(old: DescField, now: DescField, report: ReportChange): void {
  const { number } = old
  const where = now.parent.name
  const [was, is] = typesOf(old, now)
  if (typeChange(old, now) === undefined && cardinalityOf(old) === cardinalityOf(now))
    report(
      'field_renamed',
      nameOf(now),
      `Field ${number} of ${where} was "${old.name}" and is "${now.name}". Readers of JSON would find nothing under ` +
        `"${old.name}", also in stored records. Restore the name, or add "${now.name}" as a new field.`,
    )
  else
    report(
      'number_reused',
      nameOf(now),
      `Number ${number} of ${where} was ${was} "${old.name}" and is ${is} "${now.name}". Readers with generated code ` +
        `would confuse them, and stored records would have the old value as "${now.name}", or none. Use an unused number ` +
        `for "${now.name}". If "${old.name}" is removed for good, write  reserved ${number};  and  reserved "${old.name}";`,
    )
}

function reportRemoved(old: DescField, after: DescMessage, report: ReportChange): void {
  const { reservedRange, reservedName } = after.proto
  const isReserved = reservedRange.some(({ start, end }) => start <= old.number && old.number < end)
  const free = [
    ...(isReserved ? [] : [`reserved ${old.number};`]),
    ...(reservedName.includes(old.name) ? [] : [`reserved "${old.name}";`]),
  ]
  if (free.length === 0) return
  report(
    'field_removed',
    after.typeName,
    `Field "${old.name}" (number ${old.number}) of ${after.name} was removed and is not reserved. Readers would find no ` +
      'value, and could take a later field with its number or name for it. Restore it, mark it with ' +
      `[deprecated = true], or write  ${free.join('  and  ')}  in ${after.name}.`,
  )
}

function sharedNumbers(before: DescMessage, after: DescMessage): ReadonlySet<number> {
  const numbers = new Set(before.fields.map(({ number }) => number))
  return new Set(after.fields.map(({ number }) => number).filter((number) => numbers.has(number)))
}

/** Numbers of the fields in the same oneof, whose name is in no record. */
function oneofOf({ oneof }: DescField, shared: ReadonlySet<number>): string | undefined {
  return oneof?.fields
    .map(({ number }) => number)
    .filter((number) => shared.has(number))
    .sort((a, b) => a - b)
    .join()
}

function describeOneof({ oneof }: DescField): string {
  return oneof ? `in the oneof "${oneof.name}" with ${oneof.fields.map(({ name }) => name).join(', ')}` : 'in no oneof'
}

function nameOf(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`
}

/** `optional` has no effect on messages and members of a oneof. */
function cardinalityOf(field: DescField): 'singular' | 'optional' | 'repeated' {
  if (field.fieldKind === 'list') return 'repeated'
  if (field.fieldKind === 'map' || field.fieldKind === 'message' || field.oneof) return 'singular'
  return field.presence === FeatureSet_FieldPresence.EXPLICIT ? 'optional' : 'singular'
}

function cardinalityChange(old: DescField, now: DescField): string {
  const [was, is] = [cardinalityOf(old), cardinalityOf(now)]
  if (was !== 'repeated' && is === 'optional')
    return 'Readers of JSON would no longer find the field if it is zero, also in stored records.'
  if (was !== 'repeated' && is === 'singular')
    return 'Readers of JSON would find a zero if the field is absent, also in stored records.'
  const form = is === 'repeated' ? 'a list instead of one value' : 'one value instead of a list'
  return (
    `Readers of JSON would get ${form}, also in stored records, and readers with generated code would read at most one ` +
    'value.'
  )
}

/** As in a .proto file, with their kind if only this differs. */
function typesOf(before: DescField, after: DescField): readonly [before: string, after: string] {
  const types = [typeOf(before), typeOf(after)] as const
  if (types[0] !== types[1] || kindOf(before) === kindOf(after)) return types
  return [typeOf(before, `${kindOf(before)} `), typeOf(after, `${kindOf(after)} `)]
}

/** Every change breaks a reader: the same bytes are another value, or have another form in JSON. */
function typeChange(before: DescField, after: DescField): string | undefined {
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

function kindOf({ message, enum: values }: DescField): 'message' | 'enum' | 'scalar' {
  return message ? 'message' : values ? 'enum' : 'scalar'
}

function formOf(field: DescField): Pick<ScalarForm, 'wire'> & { readonly json: string } {
  if (field.fieldKind === 'map') return { json: 'an object by key', wire: 'length' }
  if (field.message) return { json: `the message ${field.message.name}`, wire: 'length' }
  if (field.enum) return { json: `a name of ${field.enum.name}`, wire: 'varint' }
  const { json, wire } = scalarForms[field.scalar!]
  return { json: jsonNames[json], wire }
}

const jsonNames: Readonly<Record<ScalarForm['json'], string>> = {
  float: 'a number',
  int32: 'a number',
  uint32: 'a number',
  int64: 'a string of digits',
  uint64: 'a string of digits',
  bool: 'true or false',
  string: 'a string',
  bytes: 'encoded bytes',
}

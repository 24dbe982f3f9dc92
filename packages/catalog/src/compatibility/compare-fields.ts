import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { isReserved } from './compare-reservations.ts'
import type { ReportChange } from './incompatibility.ts'
import { typeChange, typesOf } from './type-change.ts'

/** Compares the fields of a message. Which one a field is, is said by its number on the wire and by its name in JSON. */
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
      `${what} was ${was} and is ${is}. ${changed} Give it its type back, and add a field with a name ` +
        'and number of its own for the new type.',
    )
  else if (oneofOf(old, shared) !== oneofOf(now, shared))
    report(
      'oneof_changed',
      nameOf(now),
      `${what} was ${oneofWords(old)} and is ${oneofWords(now)}. Of a oneof one member at most is set: all readers would ` +
        'take the field for set or unset where it was not, and stored records could lose values. Put it back, and add a ' +
        'field with a name and number of its own.',
    )
  else if (cardinalityOf(old) !== cardinalityOf(now))
    report(
      'cardinality_changed',
      nameOf(now),
      `${what} was ${cardinalityOf(old)} and is ${cardinalityOf(now)}. ${cardinalityChange(old, now)} Put it back, and ` +
        'add a field with a name and number of its own.',
    )
}

function reportRenumbered(old: DescField, now: DescField, report: ReportChange): void {
  report(
    'field_renumbered',
    nameOf(now),
    `Field "${old.name}" of ${now.parent.name} had the number ${old.number} and has ${now.number}. Readers of JSON would ` +
      'find it without a value in stored records, and readers with generated code in new ones. Give it the number ' +
      `${old.number} again, and a new field a name of its own.`,
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
      `Field ${number} of ${where} was called "${old.name}" and is called "${now.name}". Readers of JSON would find ` +
        `nothing under "${old.name}", in stored records neither. Call it "${old.name}" again, or add "${now.name}" as a ` +
        'field with a number of its own.',
    )
  else
    report(
      'number_reused',
      nameOf(now),
      `Number ${number} of ${where} was ${was} "${old.name}" and is ${is} "${now.name}". Readers with ` +
        `generated code would take the one for the other, and stored records would be rendered with the old value as ` +
        `"${now.name}", or without one. Give "${now.name}" a number that was never used, and write  ` +
        `reserved ${number};  and  reserved "${old.name}";  where "${old.name}" is gone for good.`,
    )
}

/** A field may go when its number and its name are kept from ever meaning something else. */
function reportRemoved(old: DescField, after: DescMessage, report: ReportChange): void {
  const free = [
    isReserved(after, old.number) ? [] : [`reserved ${old.number};`],
    after.proto.reservedName.includes(old.name) ? [] : [`reserved "${old.name}";`],
  ].flat()
  if (free.length === 0) return
  report(
    'field_removed',
    after.typeName,
    `Field "${old.name}" (number ${old.number}) of ${after.name} is gone and not reserved. Readers of JSON and of ` +
      'generated code get no value for it any more, and a later field in its place would be taken for it. Put it back, ' +
      `mark it with [deprecated = true], or write  ${free.join('  and  ')}  in ${after.name}.`,
  )
}

/** Numbers of the fields that both have: those that came or went say nothing about a oneof. */
function sharedNumbers(before: DescMessage, after: DescMessage): ReadonlySet<number> {
  const numbers = new Set(before.fields.map(({ number }) => number))
  return new Set(after.fields.map(({ number }) => number).filter((number) => numbers.has(number)))
}

/** The fields that share a oneof with a field, itself included. The name of a oneof is nowhere in a record. */
function oneofOf({ oneof }: DescField, shared: ReadonlySet<number>): string | undefined {
  return oneof?.fields
    .map(({ number }) => number)
    .filter((number) => shared.has(number))
    .sort((a, b) => a - b)
    .join()
}

function oneofWords({ oneof }: DescField): string {
  return oneof ? `in the oneof "${oneof.name}" with ${oneof.fields.map(({ name }) => name).join(', ')}` : 'in no oneof'
}

function nameOf(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`
}

/**
 * How often a value of a field may occur, in protobuf's words. `optional` says nothing of a message or a member of a
 * oneof; that a field is a map is a matter of its type.
 */
function cardinalityOf(field: DescField): 'singular' | 'optional' | 'repeated' {
  if (field.fieldKind === 'list') return 'repeated'
  if (field.fieldKind === 'map' || field.fieldKind === 'message' || field.oneof) return 'singular'
  return field.presence === FeatureSet_FieldPresence.EXPLICIT ? 'optional' : 'singular'
}

/** Which readers a change between two cardinalities breaks, and how. */
function cardinalityChange(before: DescField, after: DescField): string {
  const old = cardinalityOf(before)
  const now = cardinalityOf(after)
  if (old === 'singular' && now === 'optional')
    return 'Readers of JSON would no longer find the field where it is zero, in stored records neither.'
  if (old === 'optional' && now === 'singular')
    return 'Readers of JSON would find a zero where the field was absent, in stored records too.'
  const [was, is] = now === 'repeated' ? ['one value', 'a list'] : ['a list', 'one value']
  return (
    `Readers of JSON would get ${is} where they got ${was}, in stored records too, and readers with generated code ` +
    'would read one value at most.'
  )
}

import type { DescEnum, DescMessage } from '@bufbuild/protobuf'
import { type NumberRange, reservedRanges, type SchemaSet } from '../schema/schema-set.ts'
import { compareFields } from './compare-fields.ts'
import type { ReportChange } from './incompatibility.ts'

export function compareMessages(before: SchemaSet, after: SchemaSet, message: string, report: ReportChange): void {
  const seen = new Set<string>()
  const compare = (name: string): void => {
    const old = before.message(name)
    const now = after.message(name)
    if (!old || !now || seen.has(name)) return
    seen.add(name)
    compareReservations(old, now, report)
    compareFields(old, now, report)
    for (const field of old.fields) {
      const same = now.fields.find(({ number }) => number === field.number)
      // A changed type is reported for the field.
      if (field.message && field.message.typeName === same?.message?.typeName) compare(field.message.typeName)
      if (field.enum && field.enum.typeName === same?.enum?.typeName) compareOnce(field.enum, same.enum)
    }
    if (name === 'google.protobuf.Any')
      for (const type of before.registry) if (type.kind === 'message') compareContained(type)
  }
  const compareOnce = (old: DescEnum, now: DescEnum): void => {
    if (seen.has(old.typeName)) return
    seen.add(old.typeName)
    compareReservations(old, now, report)
    compareEnums(old, now, report)
  }
  /** A `google.protobuf.Any` may contain any message. */
  const compareContained = ({ typeName }: DescMessage): void => {
    if (after.message(typeName)) compare(typeName)
    else
      report(
        'message_removed',
        message,
        `Message ${typeName} was removed, but a google.protobuf.Any in ${message} may contain one. Such stored records ` +
          'could no longer be rendered to JSON. Restore the message.',
      )
  }
  compare(message)
}

function compareReservations<T extends DescMessage | DescEnum>(before: T, after: T, report: ReportChange): void {
  const [member, members] = after.kind === 'message' ? ['field', after.fields] : ['value', after.values]
  const reportReturned = (what: string, written: string, user: string | undefined) => {
    const now = user === undefined ? 'no longer is' : `is used by the ${member} "${user}"`
    const fix = user === undefined ? '' : ` and use another one for "${user}"`
    report(
      'reservation_removed',
      user === undefined ? after.typeName : `${after.typeName}.${user}`,
      `${what} of ${after.name} was reserved and ${now}. A removed ${member} had it, so stored records and readers with ` +
        `older generated code would confuse the two. Write  reserved ${written};  again${fix}.`,
    )
  }
  for (const range of reservedRanges(before)) {
    const free = firstFree(range, reservedRanges(after))
    if (free === undefined) continue
    reportReturned(`Number ${free}`, String(free), members.find(({ number }) => number === free)?.name)
  }
  for (const name of before.proto.reservedName)
    if (!after.proto.reservedName.includes(name))
      reportReturned(`Name "${name}"`, `"${name}"`, members.find((one) => one.name === name)?.name)
}

function firstFree({ start, end }: NumberRange, ranges: readonly NumberRange[]): number | undefined {
  let number = start
  for (const other of ranges.toSorted((a, b) => a.start - b.start))
    if (other.start <= number && number < other.end) number = other.end
  return number < end ? number : undefined
}

/** A removed value is a change even if it is reserved: stored records contain its number. */
function compareEnums(before: DescEnum, after: DescEnum, report: ReportChange): void {
  for (const [number, name] of jsonNames(before)) {
    const now = jsonNames(after).get(number)
    if (now === name) continue
    const moved = after.values.find((value) => value.name === name && value.number !== number)
    const what = `Value "${name}" of the enum ${after.name}`
    if (moved)
      report(
        'enum_value_renumbered',
        `${after.typeName}.${name}`,
        `${what} was ${number} and is ${moved.number}. Stored records, and readers with generated code, would have another ` +
          `value. Restore the number ${number}.`,
      )
    else if (now !== undefined)
      report(
        'enum_value_renamed',
        `${after.typeName}.${now}`,
        `Value ${number} of the enum ${after.name} was "${name}" and is "${now}" in JSON. Readers of JSON would not know the ` +
          `new name, which stored records would have as well. Restore the name "${name}". A second name needs "option ` +
          'allow_alias = true" and must come after the first.',
      )
    else
      report(
        'enum_value_removed',
        after.typeName,
        `${what} (number ${number}) was removed. Readers of JSON would get the bare number ${number} from stored records. ` +
          'Restore it, and mark it with [deprecated = true] if it is unused.',
      )
  }
}

function jsonNames({ values }: DescEnum): ReadonlyMap<number, string> {
  return new Map(values.toReversed().map(({ number, name }) => [number, name]))
}

import type { DescEnum, DescMessage } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import type { SchemaSet } from '../schema/schema-set.ts'
import { compareFields } from './compare-fields.ts'
import { compareReservations } from './compare-reservations.ts'
import type { ReportChange } from './incompatibility.ts'

/** Compares a message and all that its fields lead to, each type once. */
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
      // Another type is reported with its field.
      if (field.message && field.message.typeName === same?.message?.typeName) compare(field.message.typeName)
      if (field.enum && field.enum.typeName === same?.enum?.typeName) compareOnce(field.enum, same.enum)
    }
    if (name === 'google.protobuf.Any') for (const held of messagesOf(before)) compareHeld(held)
  }
  const compareOnce = (old: DescEnum, now: DescEnum): void => {
    if (seen.has(old.typeName)) return
    seen.add(old.typeName)
    compareReservations(old, now, report)
    compareEnums(old, now, report)
  }
  /** A `google.protobuf.Any` may hold every message there is. */
  const compareHeld = ({ typeName }: DescMessage): void => {
    if (after.message(typeName)) compare(typeName)
    else
      report(
        'message_removed',
        message,
        `Message ${typeName} is gone, and a google.protobuf.Any in ${message} may hold one. Stored records that do ` +
          'could not be rendered to JSON any more. Put the message back.',
      )
  }
  compare(message)
}

function messagesOf({ registry }: SchemaSet): DescMessage[] {
  return [...registry.files].flatMap((file) => [...nestedTypes(file)]).filter((type) => type.kind === 'message')
}

/**
 * Compares enums: every number must keep the name that it has in JSON, which of several names is the first. A value
 * cannot go, reserved or not, because stored records that hold it would read as a bare number.
 */
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
        `${what} was ${number} and is ${moved.number}. Stored records, and readers with generated code, would read it as ` +
          `something else. Give it the number ${number} again, and the new value a name of its own.`,
      )
    else if (now !== undefined)
      report(
        'enum_value_renamed',
        `${after.typeName}.${now}`,
        `Value ${number} of the enum ${after.name} was called "${name}" and reads as "${now}". Readers of JSON would not ` +
          `know the new name, and stored records would change theirs. Call it "${name}" again; a second name needs ` +
          `"option allow_alias = true" and comes after the first.`,
      )
    else
      report(
        'enum_value_removed',
        after.typeName,
        `${what} (number ${number}) is gone. Readers of JSON would get the bare number ${number} in stored records that ` +
          'hold it. Put it back; where it is not used any more, mark it with [deprecated = true].',
      )
  }
}

/** Of several names for one number, the first one is written. */
function jsonNames({ values }: DescEnum): ReadonlyMap<number, string> {
  return new Map(values.toReversed().map(({ number, name }) => [number, name]))
}

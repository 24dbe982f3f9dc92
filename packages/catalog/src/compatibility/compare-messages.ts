import type { DescEnum, DescMessage } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import type { SchemaSet } from '../schema/schema-set.ts'
import { compareEnums } from './compare-enums.ts'
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

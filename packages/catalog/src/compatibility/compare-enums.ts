import type { DescEnum } from '@bufbuild/protobuf'
import type { ReportChange } from './incompatibility.ts'

/**
 * Compares enums: every number must keep the name that it has in JSON, which of several names is the first. A value
 * cannot go, reserved or not, because stored records that hold it would read as a bare number.
 */
export function compareEnums(before: DescEnum, after: DescEnum, report: ReportChange): void {
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

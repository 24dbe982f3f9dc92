import type { DescMessage } from '@bufbuild/protobuf'
import type { ReportChange } from './incompatibility.ts'

/** Numbers from `start` up to `end`, which is not one of them. */
interface Range {
  readonly start: number
  readonly end: number
}

/** Compares what a message reserves: a number or name that was given up once must not come back as something else. */
export function compareReservations(before: DescMessage, after: DescMessage, report: ReportChange): void {
  for (const range of before.proto.reservedRange) {
    const free = firstFree(range, after.proto.reservedRange)
    if (free === undefined) continue
    const user = after.fields.find(({ number }) => number === free)
    reportReturned(`Number ${free}`, String(free), user?.name, after, report)
  }
  for (const name of before.proto.reservedName)
    if (!after.proto.reservedName.includes(name)) {
      const user = after.fields.find((field) => field.name === name)
      reportReturned(`Name "${name}"`, `"${name}"`, user?.name, after, report)
    }
}

/** Whether a number is in one of the ranges. */
export function isReserved(ranges: readonly Range[], number: number): boolean {
  return ranges.some(({ start, end }) => start <= number && number < end)
}

/** The first number of a range that is in none of the others. */
function firstFree({ start, end }: Range, ranges: readonly Range[]): number | undefined {
  let number = start
  for (const other of ranges.toSorted((a, b) => a.start - b.start))
    if (other.start <= number && number < other.end) number = other.end
  return number < end ? number : undefined
}

function reportReturned(
  what: string,
  written: string,
  user: string | undefined,
  { name, typeName }: DescMessage,
  report: ReportChange,
): void {
  const now = user === undefined ? 'is not any more' : `is used by the field "${user}"`
  const fix = user === undefined ? '' : ` Give "${user}" another one.`
  report(
    'reservation_removed',
    user === undefined ? typeName : `${typeName}.${user}`,
    `${what} of ${name} was reserved and ${now}. It belonged to a field that is gone: stored records, and readers with ` +
      `generated code of that time, would take the one for the other. Write  reserved ${written};  again.${fix}`,
  )
}

import type { DescEnum, DescMessage } from '@bufbuild/protobuf'
import type { ReportChange } from './incompatibility.ts'

/** `end` is exclusive. */
interface Range {
  readonly start: number
  readonly end: number
}

export function compareReservations<Type extends DescMessage | DescEnum>(
  before: Type,
  after: Type,
  report: ReportChange,
): void {
  const members = membersOf(after)
  for (const range of reservedRanges(before)) {
    const free = firstFree(range, reservedRanges(after))
    if (free === undefined) continue
    const user = members.find(({ number }) => number === free)
    reportReturned(`Number ${free}`, String(free), user?.name, after, report)
  }
  for (const name of before.proto.reservedName)
    if (!after.proto.reservedName.includes(name)) {
      const user = members.find((member) => member.name === name)
      reportReturned(`Name "${name}"`, `"${name}"`, user?.name, after, report)
    }
}

export function isReserved(message: DescMessage, number: number): boolean {
  return reservedRanges(message).some(({ start, end }) => start <= number && number < end)
}

/** Only descriptors of enums have an inclusive end. */
function reservedRanges(type: DescMessage | DescEnum): readonly Range[] {
  if (type.kind === 'message') return type.proto.reservedRange
  return type.proto.reservedRange.map(({ start, end }) => ({ start, end: end + 1 }))
}

function membersOf(type: DescMessage | DescEnum): readonly { readonly name: string; readonly number: number }[] {
  return type.kind === 'message' ? type.fields : type.values
}

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
  { kind, name, typeName }: DescMessage | DescEnum,
  report: ReportChange,
): void {
  const member = kind === 'message' ? 'field' : 'value'
  const now = user === undefined ? 'no longer is' : `is used by the ${member} "${user}"`
  const fix = user === undefined ? '' : ` and use another one for "${user}"`
  report(
    'reservation_removed',
    user === undefined ? typeName : `${typeName}.${user}`,
    `${what} of ${name} was reserved and ${now}. A removed ${member} had it, so stored records and readers with older ` +
      `generated code would confuse the two. Write  reserved ${written};  again${fix}.`,
  )
}

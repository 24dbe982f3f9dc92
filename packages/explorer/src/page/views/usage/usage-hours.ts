import type { Usage } from '../../service/types.ts'

/** What a gateway counts of a key. */
export type UsageCounts = Usage['total']

export interface UsagePeriod extends UsageCounts {
  /** Its beginning, in Unix time. */
  readonly second: number
}

const none: UsageCounts = { requests: 0, refused: 0, records: 0, bytes: 0, connectionSeconds: 0 }

/** Every hour or day of the range, those without use too. Days are those of the reader's time zone. */
export function periodsOf({ from, to, hours }: Usage, length: 'hour' | 'day'): readonly UsagePeriod[] {
  const periods = new Map<number, UsagePeriod>()
  for (let time = beginOf(Date.parse(from), length); time < Date.parse(to); time = next(time, length))
    periods.set(time, { ...none, second: time / 1000 })
  for (const counts of hours) {
    const time = beginOf(Date.parse(counts.hour), length)
    const before = periods.get(time)
    if (before) periods.set(time, { ...sumOf(before, counts), second: before.second })
  }
  return [...periods.values()]
}

function beginOf(time: number, length: 'hour' | 'day'): number {
  const date = new Date(time)
  if (length === 'day') return date.setHours(0, 0, 0, 0)
  return date.setMinutes(0, 0, 0)
}

function next(time: number, length: 'hour' | 'day'): number {
  const date = new Date(time)
  // A day has 23 or 25 hours when the clocks change; an hour is always one.
  return length === 'day' ? date.setDate(date.getDate() + 1) : time + 3_600_000
}

function sumOf(one: UsageCounts, other: UsageCounts): UsageCounts {
  return {
    requests: one.requests + other.requests,
    refused: one.refused + other.refused,
    records: one.records + other.records,
    bytes: one.bytes + other.bytes,
    connectionSeconds: one.connectionSeconds + other.connectionSeconds,
  }
}

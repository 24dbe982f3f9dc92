import type { QueueRecord } from '@headrace/queue'
import { type Condition, type Outcome, outcomes } from './condition.ts'
import type { RecordFilter } from './record-filter.ts'
import type { RecordSource } from './record-source.ts'

/** All filters of the readers of a topic. */
export interface FilterIndex {
  add(filter: RecordFilter): void
  remove(filter: RecordFilter): void
  /** The filters that match a record, in any order. */
  match(record: QueueRecord): readonly RecordFilter[]
}

export function createFilterIndex(record: RecordSource, conditionOf: (filter: RecordFilter) => Condition): FilterIndex {
  const tests = new Map<RecordFilter, () => Outcome>()
  return {
    add: (filter) => tests.set(filter, conditionOf(filter).test),
    remove: (filter) => tests.delete(filter),
    match(found) {
      record.set(found)
      const matching: RecordFilter[] = []
      for (const [filter, test] of tests) if (test() === outcomes.yes) matching.push(filter)
      record.set(undefined)
      return matching
    },
  }
}

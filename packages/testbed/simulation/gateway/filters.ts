import type { Random } from '../../random.ts'
import type { PlannedRecord } from './plan.ts'

/** What a reader reads of a topic. */
export interface ReaderFilter {
  /** Absent: everything. */
  readonly text?: string
  accepts(record: PlannedRecord): boolean
}

export function pickFilter(random: Random): ReaderFilter {
  const number = random.integer(20)
  const all: ReaderFilter = { accepts: () => true }
  return random.pick<ReaderFilter>([
    ...[all, all, all],
    { text: `value.number >= ${number}`, accepts: ({ seq, reverts }) => (reverts ?? seq) >= number },
    { text: `value.number == ${number}`, accepts: ({ seq, reverts }) => (reverts ?? seq) === number },
    { text: 'op == "revert"', accepts: ({ reverts }) => reverts !== undefined },
  ])
}

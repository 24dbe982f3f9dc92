import type { RunTask } from '../simulation/command/messages.ts'
import { describeFailure, describeShrunk } from '../simulation/command/report-text.ts'
import { runInChildren } from '../simulation/command/run-in-children.ts'

/** Runs seeds and returns a text for each failure. The first of each kind has its trace. */
export async function failuresOf(
  tasks: Iterable<RunTask>,
): Promise<{ readonly seeds: number; readonly failures: string[] }> {
  const failures: string[] = []
  let seeds = 0
  await runInChildren(
    { tasks, jobs: 2 },
    {
      ran: (_, tally) => {
        seeds += tally.seeds
      },
      failed: (outcome) => failures.push(describeFailure(outcome)),
      shrunk: (outcome) => failures.push(describeShrunk(outcome)),
    },
  )
  return { seeds, failures }
}

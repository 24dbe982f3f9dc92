import type { Scenario } from '../scenario.ts'
import { shrinkFailure } from '../shrinking/shrink-failure.ts'
import { simulate } from '../simulate.ts'
import type { Options } from './options.ts'
import { describeFailure, describeShrunk, formatCount, formatDuration } from './report-text.ts'

/** Runs seeds in this process, each in every scenario. Resolves to the number of failures. */
export async function runInProcess(
  { from, seeds, only, trace }: Options,
  scenarios: readonly Scenario[],
  print: (text: string) => void,
): Promise<number> {
  let failures = 0
  for (let seed = from; seed < from + seeds; seed++)
    for (const scenario of scenarios) {
      const outcome = await simulate(scenario, seed, { traced: trace, ...(only && { only }) })
      const { steps, virtualMs, faults, failure } = outcome
      if (failure !== undefined) failures++
      if (trace) print(outcome.trace.join('\n'))
      if (failure !== undefined && !trace) print(describeShrunk(await shrinkFailure(scenario, outcome)))
      else {
        const what = `${formatCount(steps)} steps, ${formatDuration(virtualMs)} of virtual time, ${faults.length} faults`
        print(`${describeFailure({ ...outcome, failure: failure ?? 'nothing failed' })} (${what})`)
      }
    }
  return failures
}

import type { Outcome, Scenario } from '../scenario.ts'
import { simulate } from '../simulate.ts'
import { nameOf } from '../world/swarm.ts'
import { failureKind } from './failure-kind.ts'
import { shrink } from './shrink.ts'

/** Repeats a failing seed with a minimum of faults and the same kind of failure, and traces that run. */
export async function shrinkFailure(scenario: Scenario, failed: Outcome, maxAttempts = 150): Promise<Outcome> {
  const kind = failureKind(failed.failure!)
  const left = await shrink({
    faults: failed.faults.map(nameOf),
    maxAttempts,
    async attempt(faults) {
      const outcome = await simulate(scenario, failed.seed, { only: new Set(faults) })
      const same = outcome.failure !== undefined && failureKind(outcome.failure) === kind
      return same ? outcome.faults.map(nameOf) : undefined
    },
  })
  return simulate(scenario, failed.seed, { only: new Set(left), traced: true })
}

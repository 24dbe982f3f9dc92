import type { Scenario } from '../scenario.ts'
import { shrinkFailure } from '../shrinking/shrink-failure.ts'
import { simulate } from '../simulate.ts'
import type { Report, RunTask, Task } from './messages.ts'
import { count, createTally } from './tally.ts'

/** Performs the tasks of the parent process until it disconnects. */
export function serveTasks(scenarios: readonly Scenario[]): void {
  process.on('message', async (task: Task) => {
    const scenario = scenarios.find(({ name }) => name === task.scenario)!
    report(task.what === 'shrink' ? await shrinkSeed(scenario, task.seed) : await runSeeds(scenario, task))
  })
  // A terminal sends Ctrl-C to the child, too, but the parent ends it.
  process.on('SIGINT', () => {})
  process.on('disconnect', () => process.exit())
}

async function shrinkSeed(scenario: Scenario, seed: number): Promise<Report> {
  report({ what: 'begins', seed })
  const outcome = await simulate(scenario, seed)
  return {
    what: 'has shrunk',
    outcome: outcome.failure === undefined ? outcome : await shrinkFailure(scenario, outcome),
  }
}

async function runSeeds(scenario: Scenario, { from, seeds }: RunTask): Promise<Report> {
  const tally = createTally()
  const failed = []
  for (let seed = from; seed < from + seeds; seed++) {
    report({ what: 'begins', seed })
    const begun = process.cpuUsage()
    const outcome = await simulate(scenario, seed)
    const { user, system } = process.cpuUsage(begun)
    count(tally, outcome, (user + system) / 1000)
    if (outcome.failure !== undefined) failed.push(outcome)
  }
  return { what: 'has run', scenario: scenario.name, tally, failed }
}

function report(message: Report): void {
  process.send!(message)
}

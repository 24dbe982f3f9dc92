/** `npm run simulate`: runs the product with simulated brokers, nodes and programs. */
import { type Options, parseOptions, UsageError, usage } from './command/options.ts'
import { createProgress } from './command/progress.ts'
import {
  describeFailure,
  describeShrunk,
  describeTallies,
  formatCount,
  formatDuration,
  replayCommand,
} from './command/report-text.ts'
import { runInChildren } from './command/run-in-children.ts'
import { runInProcess } from './command/run-in-process.ts'
import { addTally, createTally } from './command/tally.ts'
import { tasksOf } from './command/tasks.ts'
import type { Outcome } from './scenario.ts'
import { scenarios } from './scenarios/index.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

function optionsOrExit(): Options {
  try {
    const options = parseOptions(
      process.argv.slice(2),
      scenarios.map(({ name }) => name),
    )
    if (options !== 'help') return options
    process.stdout.write(usage)
    process.exit(0)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
}

async function runAll(options: Options): Promise<number> {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interrupted.abort()
      process.exitCode = signal === 'SIGINT' ? 130 : 143
    })
  const tallies = new Map(options.scenarios.map((name) => [name, createTally()]))
  const all = createTally()
  const failures: Outcome[] = []
  const begun = performance.now()
  const soFar = (): string => {
    const rate = ((all.seeds * 1000) / (performance.now() - begun)).toFixed(1)
    const many = Number.isFinite(options.seeds) && all.seeds < options.seeds ? ` of ${formatCount(options.seeds)}` : ''
    return `${formatCount(all.seeds)}${many} seeds, ${rate} seeds/s, ${formatDuration(all.virtualMs)} of virtual time, ${failures.length} failed`
  }
  print(`Seeds from ${options.from} in ${options.scenarios.join(', ')}.`)
  {
    using progress = createProgress(process.stdout, soFar)
    const events = {
      ran(name: string, tally: typeof all) {
        addTally(tallies.get(name)!, tally)
        addTally(all, tally)
      },
      failed(outcome: Outcome) {
        failures.push(outcome)
        if (failures.length <= maxPrinted) progress.print(`Failed: ${describeFailure(outcome)}`)
      },
      shrunk: (outcome: Outcome) => progress.print(`\n${describeShrunk(outcome)}\n`),
    }
    await runInChildren({ ...options, tasks: tasksOf(options), signal: interrupted.signal }, events)
  }
  print(`\n${describeTallies(new Map([...tallies].filter(([, { seeds }]) => seeds > 0)))}\n`)
  for (const outcome of failures.slice(0, maxPrinted)) print(replayCommand(outcome))
  print(`${soFar()}. The first seed was ${options.from}.`)
  return failures.length
}

/** Further failures are only counted. */
const maxPrinted = 50

const options = optionsOrExit()
const chosen = options.scenarios.map((chosen) => scenarios.find(({ name }) => name === chosen)!)
const failed = options.inProcess ? await runInProcess(options, chosen, print) : await runAll(options)
process.exitCode ??= failed > 0 ? 1 : 0

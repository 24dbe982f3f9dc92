import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

export interface Options {
  /** The scenarios, in turn. */
  readonly scenarios: readonly string[]
  readonly from: number
  readonly seeds: number
  /** Undefined: all faults of the seed. */
  readonly only: ReadonlySet<string> | undefined
  readonly trace: boolean
  readonly jobs: number
  readonly untilFailure: boolean
  /** Whether the seeds run in this process, one by one, each in every scenario. */
  readonly inProcess: boolean
}

export class UsageError extends Error {}

export const usage = `npm run simulate -- [options]

Runs the product among simulated brokers, nodes and programs, with faults that a seed decides.

  --scenario NAME   only this one (it may be given several times); otherwise all take turns
  --seeds N         how many seeds to run (default: 1000)
  --from N          the first of them (default: a random one)
  --jobs N          how many processes share them (default: 1)
  --until-failure   end at the first failure; without --seeds there is no other end
  --seed N          run this seed only; --only repeats it with these faults only: --only 'leader moved 3, throttled 1'
  --trace           print all that happens
  --help            print this

Exit codes: 0 nothing failed, 1 a seed failed, 2 wrong usage.
`

/** Parses the arguments. Throws a `UsageError` for invalid ones. */
export function parseOptions(args: readonly string[], scenarios: readonly string[]): Options | 'help' {
  const { values } = parse(args)
  if (values.help) return 'help'
  const chosen = values.scenario ?? scenarios
  for (const name of chosen)
    if (!scenarios.includes(name))
      throw new UsageError(`There is no scenario "${name}". There is ${scenarios.join(', ')}.`)
  if (values.seed !== undefined && (values.seeds !== undefined || values.from !== undefined))
    throw new UsageError('--seed is one seed. For several: --from and --seeds.')
  if (values.only !== undefined && (values.seed === undefined || chosen.length !== 1))
    throw new UsageError('--only needs --seed and --scenario: its faults are those of one seed of one scenario.')
  const seed = number('seed', values.seed, 0, maxSeed)
  const seeds = seed === undefined ? number('seeds', values.seeds, 1, maxSeed) : 1
  return {
    scenarios: chosen,
    from: seed ?? number('from', values.from, 0, maxSeed) ?? randomInt(2 ** 31),
    seeds: seeds ?? (values['until-failure'] ? Number.POSITIVE_INFINITY : 1000),
    only: values.only === undefined ? undefined : new Set(values.only.split(',').map((name) => name.trim())),
    trace: values.trace,
    jobs: number('jobs', values.jobs, 1, 256) ?? 1,
    untilFailure: values['until-failure'],
    inProcess: seed !== undefined || values.trace,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        scenario: { type: 'string', multiple: true },
        seed: { type: 'string' },
        seeds: { type: 'string' },
        from: { type: 'string' },
        only: { type: 'string' },
        jobs: { type: 'string' },
        trace: { type: 'boolean', default: false },
        'until-failure': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function number(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`--${name} is "${text}"; it must be a whole number from ${least} to ${most}.`)
}

/** The random generator has a seed of 32 bits. */
const maxSeed = 2 ** 32 - 1

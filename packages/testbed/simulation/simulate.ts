import { createRandom } from '../random.ts'
import type { Outcome, Scenario } from './scenario.ts'
import { takeOverTime } from './time/virtual-time.ts'
import type { FaultKind } from './world/fault-kinds.ts'
import { createSwarm, nameOf } from './world/swarm.ts'
import type { World } from './world/world.ts'

export interface SimulateOptions {
  /** Whether to keep a trace. */
  readonly traced?: boolean
  /** Names of the only faults that happen, such as `leader moved 3`. Default: those of the seed. */
  readonly only?: ReadonlySet<string>
}

/**
 * Runs a scenario. The same seed repeats it step by step. A process can run only one at a time, because clocks are
 * replaced.
 */
export async function simulate(
  scenario: Scenario,
  seed: number,
  { traced = false, only }: SimulateOptions = {},
): Promise<Outcome> {
  const random = createRandom(seed)
  const swarm = createSwarm(seed, scenario.faults, only)
  using time = takeOverTime(createRandom(seed ^ 0xc0de))
  const trace: string[] = []
  const struck = new Set<FaultKind>()
  let failure: string | undefined
  let faulty = true
  const faultsEnd = random.integer(random.pick([2_000, 20_000, 120_000]))
  let calm = faultsEnd
  let heal: () => void = () => {}
  const healed = new Promise<void>((resolve) => {
    heal = resolve
  })

  const world: World = {
    random,
    now: () => time.now,
    later: time.later,
    wait: (ms, program) => new Promise((resolve) => void time.later(ms, resolve, program)),
    struck,
    strikes(kind) {
      const strike = faulty ? swarm.strike(kind) : undefined
      if (strike) struck.add(kind)
      if (strike) world.note(faultMark, () => nameOf(strike))
      return strike !== undefined
    },
    get faulty() {
      return faulty
    },
    faultsEnd,
    healed,
    faultLasts(ms) {
      calm = Math.max(calm, time.now + (Number.isFinite(ms) ? ms : 0))
    },
    countRequest() {
      if (time.now < calm) return
      const limit = requestBurst + allowed + (requestsPerSecond * (time.now - calm)) / 1000
      if (++requests > limit) world.fail(`${requests} requests in ${time.now - calm} ms since the last fault`)
    },
    allowRequests(count) {
      if (time.now >= calm) allowed += count
    },
    get calmMs() {
      return faulty ? 0 : Math.max(0, time.now - calm)
    },
    fail(what) {
      if (failure === undefined) world.note('oracle', what)
      failure ??= what
    },
    note(who, what) {
      if (!traced) return
      const text = typeof what === 'string' ? what : what()
      trace.push(`${time.now.toFixed(1).padStart(10)}  ${who.padEnd(12)} ${text}`)
    },
  }
  world.note(
    'world',
    () => `seed ${seed} of ${scenario.name}: ${[...swarm.rates].map((rate) => rate.join(' ')).join(', ')}`,
  )
  world.later(faultsEnd, () => {
    faulty = false
    world.note('world', 'the faults end')
    heal()
  })

  let requests = 0
  let allowed = 0
  let done = false
  const ended = (error?: unknown): void => {
    if (error !== undefined) world.fail(`it threw ${error instanceof Error ? error.stack : error}`)
    done = true
  }
  let steps = 0
  for (const event of unhandled) process.on(event, ended)
  await time.run(
    () => void scenario.run(world).then(() => ended(), ended),
    () => {
      while (!done && failure === undefined) {
        if (++steps > maxSteps) world.fail(`not done after ${maxSteps} steps`)
        else if (time.now > calm + patienceMs) world.fail(`not done ${patienceMs / 1000} s after the last fault`)
        else if (!time.step()) world.fail('everything waits, and nothing is due')
      }
    },
  )
  for (const event of unhandled) process.off(event, ended)
  return { scenario: scenario.name, seed, failure, steps, virtualMs: time.now, faults: swarm.struck, trace }
}

const unhandled = ['unhandledRejection', 'uncaughtException'] as const

/** The source of faults in a trace. */
export const faultMark = '! fault'

/** Limit of the requests of all programs to brokers and nodes after the last fault. */
const requestBurst = 1_500
const requestsPerSecond = 50
/** Time to catch up after the last fault. */
const patienceMs = 300_000
/** A seed takes about a thousand. More steps are an endless loop. */
const maxSteps = 200_000

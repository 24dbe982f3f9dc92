import { randomInt } from 'node:crypto'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** How many faults of each kind a fault test injects. */
export type FaultScale = 'once' | 'scaled' | 'full'

/** All variables of the environment that tests and tools read. */
export const environment = {
  /** On CI every test must run, and `npm run test:faults` follows `npm test`. */
  ci: Boolean(process.env.CI),
  /** `host:port` of a running broker that tests use instead of starting one. */
  testKafka: process.env.HEADRACE_TEST_KAFKA || undefined,
  /** Outside the clone, so that it survives `git clean` and serves other clones. */
  cacheFolder: join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'headrace'),
  /** `npm run test:faults -- [--full]` sets it. */
  faultScale: (process.env.HEADRACE_FAULTS || 'once') as FaultScale,
  /** The same seed gives the same random choices. `npm run test:faults -- --seed N` sets it. */
  faultSeed: Number(process.env.HEADRACE_FAULT_SEED || randomInt(2 ** 31)),
  /** The variables of a user's shell: without those that npm, vitest and CI set. */
  outside: outside(process.env),
}

function outside(variables: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(variables).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS$|INIT_CWD$|CI$|VITEST|NODE_ENV$)/i.test(name),
  )
  const path = variables.PATH?.split(delimiter).filter((folder) => !/node_modules/.test(folder))
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: path?.join(delimiter) ?? '' }
}

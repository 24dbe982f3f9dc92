import { randomInt } from 'node:crypto'

/** How many faults of each kind: `once`, scaled down, or all. */
export type FaultScale = 'once' | 'scaled' | 'full'

/** Everything the fault tests take from the environment. `npm run test:faults -- [--full] [--seed N]` sets it. */
export const environment = {
  scale: (process.env.HEADRACE_FAULTS || 'once') as FaultScale,
  /** Makes the random choices of a run again. */
  seed: Number(process.env.HEADRACE_FAULT_SEED || randomInt(2 ** 31)),
  /** Whether this is CI, where `npm run test:faults` follows `npm test`. */
  ci: Boolean(process.env.CI),
}
